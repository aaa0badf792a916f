import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../../support/eventually.ts';
import { RealtimeCalls, story } from '../../support/people/realtime-calls.ts';
import { SpeakingPerson } from '../../support/people/speaking-person.ts';
import { spoken } from '../../support/people/speech-sound.ts';
import { lineOf, spokenTranscript } from '../../support/people/spoken-transcript.ts';
import { testKey } from '../../support/stand-ins/providers/speech-server.ts';

let calls: RealtimeCalls;

beforeAll(async () => {
  calls = await RealtimeCalls.start((baseUrl) => ({
    keyless: {
      voiceAgentKind: 'realtime',
      realtime: { baseUrl, apiKey: { env: 'OUR_OWN_KEY' } },
      script: { fallback: 'By writing.', rules: [{ when: '^never said', say: 'Never.' }] },
    },
  }));
});

beforeEach(() => calls.mend());

afterAll(async () => {
  await calls?.[Symbol.asyncDispose]();
});

/** The transcript, once it has `count` lines. */
const transcript = (sessionId: string, count: number) => spokenTranscript(calls.world, sessionId, count);

test('a speech-to-speech model is heard, hears, and both sides are written down; typing is answered aloud', async () => {
  const { session, person } = await calls.call();
  await using _ = person;
  expect(person.sounds).not.toHaveLength(0);
  await calls.speak(person, 'hello there');
  await person.hearsSound({ since: person.spokeUntil });
  await person.reads(/^You said: hello there$/);
  await person.hearsSilence();
  await person.write('typed words');
  await person.reads(/^You said: typed words$/);
  expect(person.captionsOf('person', { final: true })).toEqual(['hello there']);
  expect((await transcript(session.sessionId, 5)).map(lineOf)).toEqual([
    'ASSISTANT VOICE: Welcome to the model.',
    'USER VOICE: hello there',
    'ASSISTANT VOICE: You said: hello there',
    'USER TEXT: typed words',
    'ASSISTANT VOICE: You said: typed words',
  ]);
  expect(calls.model.session.instructions).toContain('SECRET-PROMPT-MARKER');
  await calls.customer.endSession(session.sessionId);
  await eventually('the connection is closed', () => calls.model.connections === 0);
});

test('what was not heard when the person spoke over it is neither stored nor remembered', async () => {
  const { session, person } = await calls.call();
  await using _ = person;
  calls.model.reply(({ text }) => ({ text: text === 'tell me' ? story : 'I have stopped.' }));
  await calls.speak(person, 'tell me');
  const began = await person.hearsSound({ since: person.spokeUntil });
  await eventually('the story has gone on for a while', () => performance.now() - began.from > 2_000, { everyMs: 5 });
  await calls.speak(person, 'please stop');
  await person.reads(/^I have stopped\.$/);
  const lines = await transcript(session.sessionId, 5);
  expect(lines[2]).toMatchObject({ role: 'ASSISTANT', interrupted: true });
  expect(story.startsWith(lines[2]?.content ?? '?')).toBe(true);
  expect(lines[2]?.content.length).toBeLessThan(story.length / 2);
  expect(lines.slice(3).map(lineOf)).toEqual(['USER VOICE: please stop', 'ASSISTANT VOICE: I have stopped.']);
  expect(calls.model.truncated.at(-1)?.audio_end_ms).toBeGreaterThan(0);
  await calls.customer.endSession(session.sessionId);
});

test('its tools are written down before they run, and it may end the call', async () => {
  const { session, person } = await calls.call();
  await using _ = person;
  calls.model.reply(({ text }) => {
    if (text === 'I am Ada') return { calls: [{ name: 'collect', arguments: { field: 'name', value: 'Ada' } }] };
    if (text === 'goodbye') return { text: 'Goodbye.', calls: [{ name: 'end_call', arguments: {} }] };
    return { text: `It told me: ${text}` };
  });
  await calls.speak(person, 'I am Ada');
  await person.reads(/^It told me: "?Noted/);
  await person.hearsSilence();
  await calls.speak(person, 'goodbye');
  await person.reads(/^Goodbye\.$/);
  expect(await calls.endOf(session.sessionId)).toBe('agent_ended');
  const toolCalls = await calls.world.admin.query<{ name: string; status: string }>(
    sql`select name, status from tool_calls where session_id = ${session.sessionId} order by sequence`,
  );
  expect(toolCalls).toEqual([
    { name: 'collect', status: 'ok' },
    { name: 'end_call', status: 'ok' },
  ]);
});

test.each([
  ['is killed', 'kill'],
  ['is told to stop', 'stop'],
] as const)('when its host %s another one goes on with what was said, by voice', async (_how, how) => {
  const { session, person } = await calls.call();
  await using _ = person;
  await calls.speak(person, 'my name is Ada');
  await person.reads(/my name is Ada$/);
  await person.hearsSilence();
  const host = await calls.world.hostOf(session.sessionId);
  await calls.world.startHost();
  const successor = person.meetsAnotherAgent();
  await host[how]();
  await successor;
  calls.model.reply(({ items }) => ({ text: `Known: ${JSON.stringify(items).includes('my name is Ada')}` }));
  // While nobody listens, what is said is lost.
  calls.model.hears.push('who am I');
  await person.sayUntilAnswered(await spoken('hello my friend'), /^Known: true$/);
  await calls.customer.endSession(session.sessionId);
});

test('where no host has its key it is not spoken, the log says why, and it can still be written to', async () => {
  const keyless = await calls.world.customer('keyless');
  await expect(keyless.createSession({ interactionMode: 'VOICE' })).rejects.toThrow('voice_unavailable');
  const told = () => calls.world.apis.some((api) => api.output().includes('It needs the variable OUR_OWN_KEY.'));
  await eventually('the log names what is missing', told);
  await using person = await SpeakingPerson.join(await keyless.createSession({ interactionMode: 'TEXT' }));
  await person.write('hello');
  await person.reads(/^By writing\.$/);
  // With the key it can be spoken with, on the host that has it.
  await calls.world.startHost({ env: { OUR_OWN_KEY: testKey } });
  const session = await keyless.createSession({ interactionMode: 'VOICE' });
  await using caller = await SpeakingPerson.join(session);
  await caller.hearsSound();
  await keyless.endSession(session.sessionId);
});

test('its written sessions are answered by its other model', async () => {
  const connections = calls.server.requests.length;
  const session = await calls.customer.createSession({ interactionMode: 'TEXT' });
  await using person = await SpeakingPerson.join(session, { microphone: false });
  await person.write('hello');
  await person.reads(/^By writing\.$/);
  // It stays written: the model that would hear is another one.
  await person.takeMicrophone();
  await person.say(await spoken('hello my friend'));
  const from = person.captions.length;
  await person.write('hello again');
  await person.reads(/^By writing\.$/, { from });
  expect((await transcript(session.sessionId, 5)).map(({ mode }) => mode)).not.toContain('VOICE');
  expect(calls.server.requests.length).toBe(connections);
  await calls.customer.endSession(session.sessionId);
});
