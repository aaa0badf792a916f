import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storedLines } from '../../proofs/proof-world.ts';
import { eventually } from '../../support/eventually.ts';
import type { Customer } from '../../support/people/customer.ts';
import { SpeakingPerson } from '../../support/people/speaking-person.ts';
import { joined, spoken } from '../../support/people/speech-sound.ts';
import { addAgents } from '../../support/world/agent-files.ts';
import { localSpeechVariables } from '../../support/world/local-speech.ts';
import { startWorld, type World } from '../../support/world/world.ts';

let world: World;
let teller: Customer;

const story =
  'Once there was a miller who had three sons. The first one took the mill. The second one took the donkey. ' +
  'The third one took the cat.';

/** It takes longer to say than one host needs to give way to another, and than a turn of the agent's is waited for then. */
const question =
  'in which part of the country did the oldest brother of the miller live before the second one went away with the donkey and the cat';
const deepgram = { provider: 'deepgram', apiKey: { env: 'TEST_KEY' } };

beforeAll(async () => {
  world = await startWorld({
    workers: 0,
    hosts: 1,
    settings: { voiceCapacity: 2 },
    env: await localSpeechVariables(),
  });
  await addAgents(world, {
    teller: {
      script: {
        fallback: 'Pardon?',
        rules: [
          { when: '^begin the fairy tale$', say: story },
          { when: '^thank you very much$', say: 'You are welcome.' },
          { when: `^${question}$`, say: 'In the south.' },
        ],
      },
      // The fewer there are, the less a busy machine makes of one another.
      languages: [
        {
          code: 'en',
          name: 'English',
          greeting: 'I tell stories.',
          phrases: ['begin the fairy tale', 'thank you very much', question],
        },
      ],
    },
    choir: {
      languages: [
        {
          code: 'en',
          name: 'English',
          voices: [
            { id: 'thalia', name: 'Thalia', provider: 'deepgram', model: 'aura-2-thalia-en', default: true },
            { id: 'eva', name: 'Eva', provider: 'local', model: 'en-us+f3' },
            { id: 'unheard', name: 'Unheard', provider: 'local', model: 'tlh' },
          ],
        },
      ],
      speech: { synthesis: [deepgram, { provider: 'local' }] },
      script: { fallback: 'Pardon?', rules: [{ when: '^thank you very much$', say: 'You are welcome.' }] },
    },
  });
  teller = await world.customer('teller');
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

const lines = async (sessionId: string) =>
  (await storedLines(world, sessionId)).map(({ role, content }) => `${role}: ${content}`);

test('a host that carries as many spoken sessions as it may gets no further one, at once, but written ones', async () => {
  const create = (interactionMode: string) =>
    teller.call('POST', '/api/sessions', { body: { interactionMode } }).then(async (response) => {
      const { code, sessionId } = (await response.json()) as { code?: string; sessionId?: string };
      return { status: response.status, code, sessionId };
    });
  const [first, second] = [await create('VOICE'), await create('VOICE')];
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(await create('VOICE')).toMatchObject({ status: 503, code: 'no_capacity' });
  await eventually('autoscaling hears of it', async () => {
    const answer = await fetch(`http://127.0.0.1:${world.apis[0]?.internalPort}/scaling`);
    const { refusedLastMinute, wantedVoice } = (await answer.json()) as Record<string, number>;
    return refusedLastMinute === 1 && wantedVoice === 3;
  });
  const written = await create('TEXT');
  expect(written.status).toBe(200);
  await teller.endSession(first.sessionId ?? '');
  const next = await eventually('there is room again', async () => {
    const answer = await create('VOICE');
    return answer.status === 200 && answer;
  });
  for (const { sessionId } of [second, written, next]) await teller.endSession(sessionId ?? '');
});

test('a call that nobody joins keeps its place for a minute; who joins later has one again, or is told to write', async () => {
  const create = () => teller.createSession({ interactionMode: 'VOICE' });
  const [first, second] = [await create(), await create()];
  const refused = await teller.call('POST', '/api/sessions', { body: { interactionMode: 'VOICE' } });
  expect(refused.status).toBe(503);
  // One after the other, each a minute after it was given away.
  const freed = () =>
    eventually('a place is free', () => create().catch(() => undefined), { withinMs: 90_000, everyMs: 500 });
  const [third, fourth] = [await freed(), await freed()];
  await using late = await SpeakingPerson.join(first);
  await late.reads(/^I'm sorry, I can't speak with you at the moment/);
  await late.reads(/^I tell stories\.$/);
  expect(late.sounds).toEqual([]);
  await teller.endSession(fourth.sessionId);
  await using lucky = await SpeakingPerson.join(second);
  await lucky.reads(/^I tell stories\.$/);
  await lucky.hearsSound({ since: 0 });
  expect(lucky.captions.some(({ text }) => text.startsWith("I'm sorry"))).toBe(false);
  for (const { sessionId } of [first, second, third]) await teller.endSession(sessionId);
});

test('the voices of an agent are those that hosts are set up for; one that cannot be had now is refused as such', async () => {
  const choir = await world.customer('choir');
  const voices = async () => {
    const { languageConfigs } = (await (await choir.call('GET', '/api/sessions/languages')).json()) as {
      languageConfigs: { availableVoices: { id: string }[] }[];
    };
    return languageConfigs[0]?.availableVoices.map(({ id }) => id).join();
  };
  const create = async (body: object) => {
    const response = await choir.call('POST', '/api/sessions', { body });
    const { sessionId, code, message, voiceId } = (await response.json()) as Record<string, string>;
    if (sessionId) await choir.endSession(sessionId);
    return { status: response.status, code, message, voiceId };
  };
  expect(await voices()).toBe('eva');
  const refused = await create({ interactionMode: 'VOICE', voiceId: 'thalia' });
  expect(refused).toMatchObject({ status: 400, code: 'voice_not_available' });
  expect(refused.message).toMatch(/Available: eva\.$/);
  // The default voice cannot be had: another one speaks, and the answer does not claim otherwise.
  expect(await create({ interactionMode: 'VOICE' })).toEqual({ status: 200 });
  expect(await create({ interactionMode: 'VOICE', voiceId: 'eva' })).toEqual({ status: 200, voiceId: 'eva' });
  // Whoever writes need not know who could speak.
  expect(await create({ interactionMode: 'TEXT', voiceId: 'thalia' })).toMatchObject({ status: 200 });
  const keyed = await world.startHost({ env: { TEST_KEY: 'a key' } });
  await eventually('the voice of the provider is there', async () => (await voices()) === 'thalia,eva');
  expect(await create({ interactionMode: 'VOICE' })).toEqual({ status: 200, voiceId: 'thalia' });
  await keyed.stop();
  const away = await eventually('its host is known to be gone', async () => {
    const answer = await create({ interactionMode: 'VOICE', voiceId: 'thalia' });
    return answer.status === 503 && answer;
  });
  expect(away).toMatchObject({ code: 'voice_unavailable', message: expect.stringContaining('"thalia"') });
  expect(await voices()).toBe('thalia,eva');
  expect(await create({ interactionMode: 'VOICE' })).toEqual({ status: 200 });
});

/** Of what the person is saying. */
const isInTheMiddle = (person: SpeakingPerson) =>
  eventually(
    'the person is in the middle of it',
    () => person.spokeFrom > 0 && performance.now() > person.spokeFrom + 700,
    { everyMs: 5 },
  );

describe('a call', () => {
  test('whose host is killed goes on with the sentence that was not heard to its end, and nothing before it is forgotten', async () => {
    const session = await teller.createSession({ interactionMode: 'VOICE' });
    await using person = await SpeakingPerson.join(session);
    await person.reads(/^I tell stories\.$/);
    await person.hearsSilence();
    // Written, and answered aloud: what is shown is how the answer goes on, and a busy machine mishears what is said once.
    await person.write('thank you very much');
    await person.reads(/^You are welcome\.$/);
    await person.hearsSilence();
    await world.startHost();
    const host = await world.hostOf(session.sessionId);
    await person.write('begin the fairy tale');
    const isSecond = ({ text }: { text: string }) => /three sons\. The first one took the/.test(text);
    await eventually('the second sentence is being told', () => person.captions.some(isSecond), { everyMs: 5 });
    const from = person.captions.length;
    await host.kill();
    await person.hearsSilence(300);
    await person.hearsSound({ since: performance.now() });
    await person.reads(/the cat\.$/, { from });
    expect(person.captions.slice(from).some(({ text }) => text.includes('Once there was'))).toBe(false);
    await person.hearsSilence();
    await person.write('thank you very much');
    await person.reads(/^You are welcome\.$/, { from });
    const stored = await eventually('the last answer is stored', async () => {
      const all = await lines(session.sessionId);
      return all.length >= 7 && all;
    });
    expect(stored).toEqual([
      'ASSISTANT: I tell stories.',
      'USER: thank you very much',
      'ASSISTANT: You are welcome.',
      'USER: begin the fairy tale',
      `ASSISTANT: ${story}`,
      'USER: thank you very much',
      'ASSISTANT: You are welcome.',
    ]);
    await teller.endSession(session.sessionId);
  });

  test('whose host is killed while the person speaks is gone on with by a question: they are asked to say it again', async () => {
    const session = await teller.createSession({ interactionMode: 'VOICE' });
    await using person = await SpeakingPerson.join(session);
    await person.reads(/^I tell stories\.$/);
    await person.hearsSilence();
    await world.startHost();
    const host = await world.hostOf(session.sessionId);
    // The successor is there long before they have finished.
    const said = person.say(joined(await spoken(question), await spoken(question)));
    await isInTheMiddle(person);
    await Promise.all([said, host.kill()]);
    await person.reads(/^I'm sorry, I did not hear the beginning/);
    await person.hearsSilence();
    await person.sayUntilAnswered(await spoken(question), /^In the south\.$/);
    expect((await lines(session.sessionId)).slice(0, 2)).toEqual([
      'ASSISTANT: I tell stories.',
      "ASSISTANT: I'm sorry, I did not hear the beginning of that. Could you say it again, please?",
    ]);
    await teller.endSession(session.sessionId);
  });

  test('is handed over when its host is told to stop', async () => {
    const session = await teller.createSession({ interactionMode: 'VOICE' });
    await using person = await SpeakingPerson.join(session);
    await person.reads(/^I tell stories\.$/);
    await person.hearsSilence();
    await world.startHost();
    await (await world.hostOf(session.sessionId)).stop();
    await person.sayUntilAnswered(await spoken('thank you very much'), /^You are welcome\.$/);
    await teller.endSession(session.sessionId);
  });

  test('is handed over after what the person is saying: it is heard to its end, once, and answered', async () => {
    const session = await teller.createSession({ interactionMode: 'VOICE' });
    await using person = await SpeakingPerson.join(session);
    await person.reads(/^I tell stories\.$/);
    await person.hearsSilence();
    await world.startHost();
    const host = await world.hostOf(session.sessionId);
    const said = person.say(await spoken(question));
    await isInTheMiddle(person);
    await Promise.all([said, host.stop()]);
    await person.reads(/^In the south\.$/);
    const stored = await eventually('the answer is stored', async () => {
      const all = await lines(session.sessionId);
      return all.length >= 3 && all;
    });
    expect(stored).toEqual(['ASSISTANT: I tell stories.', `USER: ${question}`, 'ASSISTANT: In the south.']);
    await teller.endSession(session.sessionId);
  });
});
