import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { storedLines } from '../../proofs/proof-world.ts';
import { eventually } from '../../support/eventually.ts';
import { SpeakingPerson } from '../../support/people/speaking-person.ts';
import { joined, noise, silence, spoken } from '../../support/people/speech-sound.ts';
import { type OpenAIServer, startOpenAIServer } from '../../support/stand-ins/openai-server.ts';
import { startToolServer, type ToolServer } from '../../support/stand-ins/tool-server.ts';
import { addAgents, openaiModel } from '../../support/world/agent-files.ts';
import { localSpeechVariables } from '../../support/world/local-speech.ts';
import { startWorld, type World } from '../../support/world/world.ts';

let world: World;
let tools: ToolServer;
let model: OpenAIServer;
let slowModel: OpenAIServer;

const english = { code: 'en', name: 'English' };
/** The voices that tests speak with sound unfinished to the detector. */
const endpointing = { maxDelay: '500ms' };
const polite = { fallback: 'Pardon?', rules: [{ when: '^thank you very much$', say: 'You are welcome.' }] };

beforeAll(async () => {
  [tools, model, slowModel] = await Promise.all([startToolServer(), startOpenAIServer(), startOpenAIServer()]);
  world = await startWorld({ workers: 1, env: { ...(await localSpeechVariables()), TEST_TOOLS_URL: tools.url } });
  await addAgents(world, {
    patient: {
      script: polite,
      languages: [english],
      speech: { endpointing, idlePrompt: { after: '3s', times: 1, say: 'Are you still there?' } },
    },
    waiting: {
      script: polite,
      languages: [english],
      speech: { endpointing, idlePrompt: { after: '3s', times: 5, say: 'Are you still there?' } },
      limits: { idleTimeout: '8s' },
    },
    busy: {
      languages: [english],
      speech: { endpointing, filler: { after: '300ms', say: 'One moment please.' } },
      script: {
        fallback: 'Pardon?',
        rules: [
          {
            when: '^thank you very much$',
            call: { tool: 'wait', arguments: { milliseconds: 3000, label: 'slow' } },
            say: 'Here you are.',
          },
        ],
      },
    },
    slow: {
      model: openaiModel(slowModel.baseUrl),
      script: polite,
      languages: [english],
      speech: { endpointing, preemptiveGeneration: false, filler: { after: '300ms', say: 'One moment please.' } },
    },
    eager: {
      model: openaiModel(model.baseUrl),
      // What is listened for.
      script: polite,
      languages: [english],
      speech: { endpointing: { minSilence: '4s', maxDelay: '4s' } },
    },
    hurried: {
      script: polite,
      languages: [{ ...english, lines: { limitReached: 'Our time is nearly up.' } }],
      limits: { maxDuration: '10s' },
    },
    polyglot: {
      tools: ['switch_language'],
      languages: [
        { ...english, voices: [{ id: 'eva', name: 'Eva', model: 'en-us+f3', default: true }] },
        { code: 'de', name: 'Deutsch', voices: [{ id: 'ida', name: 'Ida', model: 'de', default: true }] },
        // espeak-ng has no Tuvan.
        { code: 'tyv', name: 'Tuvan' },
      ],
      script: {
        fallback: { en: 'Pardon?', de: 'Wie bitte?', tyv: 'Chüü?' },
        rules: [
          {
            when: '^speak German to me$',
            call: { tool: 'switch_language', arguments: { language: 'de' } },
            say: { en: 'Now in German.', de: 'Jetzt auf Deutsch.', tyv: 'Now in German.' },
          },
          {
            when: '^say it as my grandmother did$',
            call: { tool: 'switch_language', arguments: { language: 'tyv' } },
            say: { en: 'Now in Tuvan.', de: 'Now in Tuvan.', tyv: 'Ekii.' },
            failed: { en: 'I can only write Tuvan.', de: 'Nein.', tyv: 'Chok.' },
          },
          { when: '^thank you very much$', language: 'en', say: 'You are welcome.' },
          { when: '^vielen Dank und auf Wiedersehen$', language: 'de', say: 'Bitte sehr.' },
        ],
      },
    },
  });
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await Promise.all([tools, model, slowModel].map((server) => server?.[Symbol.asyncDispose]()));
});

async function call(agent: string) {
  const customer = await world.customer(agent);
  const session = await customer.createSession({ interactionMode: 'VOICE' });
  const person = await SpeakingPerson.join(session);
  return { customer, session, person };
}

test('a person who says nothing is asked whether they are there, as often as the agent says', async () => {
  const { customer, session, person } = await call('patient');
  await using _ = person;
  await person.reads(/^Are you still there\?$/);
  await person.hearsSilence();
  await person.say(await spoken('thank you very much'));
  await person.reads(/^You are welcome\.$/);
  await eventually('the person is asked again', () => person.captionsOf('agent').length === 3, { withinMs: 30_000 });
  expect(person.captionsOf('agent')).toEqual(['Are you still there?', 'You are welcome.', 'Are you still there?']);
  await customer.endSession(session.sessionId);
});

test('while a tool takes long the person hears that somebody is there', async () => {
  const { customer, session, person } = await call('busy');
  await using _ = person;
  await person.say(await spoken('thank you very much'));
  const filler = await person.hearsSound({ since: person.spokeUntil });
  await person.reads(/^One moment please\. Here you are\.$/);
  expect(person.sounds.at(-1)?.from).toBeGreaterThan(filler.to);
  expect(tools.requests.filter(({ body }) => body.label === 'slow')).toHaveLength(1);
  await customer.endSession(session.sessionId);
});

test('while the model takes long the person hears that somebody is there, once', async () => {
  slowModel.reply(() => ({ text: 'Here you are.', firstTokenDelayMs: 3_000 }));
  const { customer, session, person } = await call('slow');
  await using _ = person;
  await person.say(await spoken('thank you very much'));
  const filler = await person.hearsSound({ since: person.spokeUntil });
  await person.reads(/^One moment please\. Here you are\.$/);
  expect(person.sounds.at(-1)?.from).toBeGreaterThan(filler.to);
  await customer.endSession(session.sessionId);
});

test('the model begins in the pause with the answer, which nobody hears and nothing stores before the person has finished', async () => {
  model.reply(() => ({ text: 'My pleasure.' }));
  const { customer, session, person } = await call('eager');
  await using _ = person;
  await person.say(await spoken('thank you very much'));
  await eventually('the model is asked', () => model.requests.length > 0, { everyMs: 10 });
  expect(await storedLines(world, session.sessionId)).toEqual([]);
  await person.reads(/^My pleasure\.$/);
  const [request, ...others] = model.requests;
  expect(request?.body.messages.at(-1)).toMatchObject({ role: 'user', content: 'thank you very much' });
  expect(others, 'it is asked once').toEqual([]);
  await eventually('both lines are stored', async () => (await storedLines(world, session.sessionId)).length === 2);
  await customer.endSession(session.sessionId);
});

test('a call that may not go on is announced to be over, then ends', async () => {
  const { session, person } = await call('hurried');
  await using _ = person;
  await person.hearsSound({ since: 0 });
  await person.reads(/^Our time is nearly up\.$/);
  await eventually('the person is out of the room', () => person.disconnectedBecause !== undefined);
  const [row] = await world.admin.query<{ end_reason: string }>({
    text: 'select end_reason from sessions where id = $1',
    values: [session.sessionId],
  });
  expect(row?.end_reason).toBe('max_duration');
});

test('an agent that switches the language hears and speaks the other one from then on', async () => {
  const { customer, session, person } = await call('polyglot');
  await using _ = person;
  await person.say(await spoken('thank you very much'));
  await person.reads(/^You are welcome\.$/);
  await person.hearsSilence();
  await person.say(await spoken('speak German to me'));
  await person.reads(/^Jetzt auf Deutsch\.$/);
  await person.hearsSilence();
  await person.say(await spoken('vielen Dank und auf Wiedersehen', { voice: 'de' }));
  await person.reads(/^Bitte sehr\.$/);
  const said = (await storedLines(world, session.sessionId)).map(({ content }) => content);
  expect(said.filter((text) => /^vielen Dank und auf Wiedersehen$/i.test(text))).toHaveLength(1);
  await customer.endSession(session.sessionId);
});

test('a language that the host cannot speak is not switched to in a call, and is in a written conversation', async () => {
  const { customer, session, person } = await call('polyglot');
  await using _ = person;
  await person.say(await spoken('say it as my grandmother did'));
  await person.reads(/^I can only write Tuvan\.$/);
  await person.hearsSilence();
  // Nothing has changed.
  await person.say(await spoken('thank you very much'));
  await person.reads(/^You are welcome\.$/);
  const written = await customer.createSession({ interactionMode: 'TEXT' });
  await using writer = await SpeakingPerson.join(written, { microphone: false });
  await writer.write('say it as my grandmother did');
  await writer.reads(/^Ekii\.$/);
  const calls = () =>
    world.admin.query<{ status: string }>(sql`
      select s.interaction_mode as mode, s.language, c.status, c.result from sessions s join tool_calls c on c.session_id = s.id
      where s.id in (${session.sessionId}, ${written.sessionId}) order by s.created_at`);
  // An answer is not held up by what is to be stored of the call that it tells of.
  const stored = await eventually('what came of both calls is stored', async () => {
    const all = await calls();
    return all.every(({ status }) => status !== 'started') && all;
  });
  expect(stored).toEqual([
    {
      mode: 'VOICE',
      language: 'en',
      status: 'failed',
      result:
        'This conversation is spoken, and Tuvan cannot be heard or spoken here at the moment. Tell the person so, and go on in English.',
    },
    { mode: 'TEXT', language: 'tyv', status: 'ok', result: '"From now on answer in Tuvan."' },
  ]);
  // Whose microphone is of no use then, and who is answered in writing.
  await writer.takeMicrophone();
  await writer.write('speak German to me');
  await writer.reads(/^Jetzt auf Deutsch\.$/);
  expect(writer.sounds).toEqual([]);
  for (const { sessionId } of [session, written]) await customer.endSession(sessionId);
});

test('a call in which nobody says a word ends, whatever hisses and coughs, and however often the agent asks', async () => {
  const { session, person } = await call('waiting');
  await using _ = person;
  const cough = joined(noise(300, 6_000), silence(700));
  void person.say(joined(...Array.from({ length: 25 }, () => [noise(1_000, 200), cough]).flat()));
  await person.reads(/^Are you still there\?$/);
  await eventually('the person is out of the room', () => person.disconnectedBecause !== undefined, {
    withinMs: 60_000,
  });
  // The end comes in the middle of what is asked last, now and then.
  const [row] = await world.admin.query<{ end_reason: string; only: boolean; quiet: boolean }>(sql`
    select end_reason, (select bool_and(starts_with('Are you still there?', content)) from messages where session_id = id) as only,
      ended_at < (select min(at) from messages where session_id = id) + interval '8 seconds' as quiet
    from sessions where id = ${session.sessionId}`);
  // Since before it was asked for the first time.
  expect(row).toEqual({ end_reason: 'idle_timeout', only: true, quiet: true });
});
