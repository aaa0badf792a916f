import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../../support/eventually.ts';
import { SpeakingPerson } from '../../support/people/speaking-person.ts';
import { spoken } from '../../support/people/speech-sound.ts';
import { lineOf, spokenTranscript } from '../../support/people/spoken-transcript.ts';
import { type Listener, openListener } from '../../support/people/understood.ts';
import { type OpenAIServer, startOpenAIServer } from '../../support/stand-ins/openai-server.ts';
import { deepgram } from '../../support/stand-ins/providers/deepgram.ts';
import {
  type Fault,
  type SpeechServer,
  startSpeechServer,
  testKey,
} from '../../support/stand-ins/providers/speech-server.ts';
import { addAgents, openaiModel } from '../../support/world/agent-files.ts';
import { localSpeechVariables } from '../../support/world/local-speech.ts';
import { startWorld, type World } from '../../support/world/world.ts';

let world: World;
let listener: Listener;
let model: OpenAIServer;
/** Each with its own way to fail. */
const speech = new Map<Fault, SpeechServer>();

const sentences = [
  'There was a miller',
  'The first son took the mill',
  'The second son took the donkey',
  'The third son took the cat',
];
const story = sentences.map((sentence) => `${sentence}.`).join(' ');
/** What is heard when the beginning of a sentence is lost. */
const halves = ['first son took the mill', 'took the mill', 'son took the donkey', 'the donkey', 'took the cat'];

/** A busy machine garbles sound: what is not understood is asked again. */
const mostTimes = 3;
const english = {
  code: 'en',
  name: 'English',
  lines: { modelUnavailable: 'Excuse me.' },
  phrases: ['begin the fairy tale', 'thank you very much'],
};
/** A provider's own name, its address here, and a key that it takes. */
const deepgramAt = ({ url }: SpeechServer) => ({ provider: 'deepgram', baseUrl: url, apiKey: { env: 'TEST_KEY' } });
const faults = [401, 429, 'stall', 'drop'] as const;
const script = {
  fallback: 'Pardon?',
  rules: [
    { when: '^begin the fairy tale$', say: story },
    { when: '^thank you very much$', say: 'You are welcome.' },
  ],
};

beforeAll(async () => {
  const variables = await localSpeechVariables();
  const answers = ['welcome', 'you are welcome', 'excuse me', 'welcome excuse me', 'pardon'];
  listener = openListener(variables, {
    en: [...sentences.map((sentence) => sentence.toLowerCase()), ...halves, ...answers],
  });
  model = await startOpenAIServer();
  for (const fault of faults) {
    const server = await startSpeechServer(deepgram);
    server.fault = fault;
    speech.set(fault, server);
  }
  world = await startWorld({ workers: 0, env: { ...variables, TEST_KEY: testKey } });
  const greeted = { script, languages: [{ ...english, greeting: 'Welcome.' }] };
  const failing = [...speech].map(([fault, server]) => {
    const both = [deepgramAt(server), { provider: 'local' }];
    return [`falls-back-${fault}`, { ...greeted, speech: { recognition: both, synthesis: both } }] as const;
  });
  const [refusing] = speech.values();
  const only = refusing ? [deepgramAt(refusing)] : [];
  await addAgents(world, {
    ...Object.fromEntries(failing),
    teller: { script, languages: [english] },
    mute: { ...greeted, speech: { synthesis: only } },
    deaf: { ...greeted, speech: { recognition: only } },
    thinker: {
      languages: [english],
      script: undefined,
      // Without a script there is nothing to recognise by on this machine; nobody speaks here.
      speech: { recognition: only },
      model: openaiModel(model.baseUrl, { timeout: '2s' }),
    },
  });
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await listener?.[Symbol.asyncDispose]();
  await Promise.all([model, ...speech.values()].map((server) => server?.[Symbol.asyncDispose]()));
});

async function call(agent: string) {
  const customer = await world.customer(agent);
  const session = await customer.createSession({ interactionMode: 'VOICE' });
  const person = await SpeakingPerson.join(session);
  return { customer, session, person };
}

/** What is understood of all that was heard since then, up to now. */
const heardOf = (person: SpeakingPerson, since: number) =>
  listener.understands(person.recording(since, performance.now()), 'en');

const endReason = (sessionId: string) =>
  eventually('the session is over', async () => {
    const [row] = await world.admin.query<{ end_reason: string | null }>(
      sql`select end_reason from sessions where id = ${sessionId} and status = 'ended'`,
    );
    return row?.end_reason ?? undefined;
  });

test('a room server that dies in the middle of a sentence: the sentence is heard again, and the call goes on', async () => {
  const customer = await world.customer('teller');
  const session = await customer.createSession({ interactionMode: 'VOICE' });
  await using person = await SpeakingPerson.join(session);
  await person.say(await spoken('begin the fairy tale'));
  const begun = await person.hearsSound({ since: person.spokeUntil });
  await eventually('the story is being told', () => performance.now() - begun.from > 2_000, { everyMs: 5 });
  const from = person.captions.length;
  await world.rooms.kill();
  await person.hearsSilence();
  const silentAt = performance.now();
  await world.rooms.start();
  await person.reads(/the cat\.$/, { from });
  await person.hearsSilence();
  const [again] = person.sounds.filter((sound) => sound.from > silentAt);
  const heard = await listener.understands(person.recording((again?.from ?? 0) - 100, (again?.to ?? 0) + 200), 'en');
  // A busy machine garbles sound: what is not understood at all is no evidence of a lost beginning.
  expect(['', ...sentences.map((sentence) => sentence.toLowerCase())]).toContain(heard);
  await person.sayUntilAnswered(await spoken('thank you very much'), /^You are welcome\.$/);
  expect((await spokenTranscript(world, session.sessionId, 4)).map((line) => [lineOf(line), line.interrupted])).toEqual(
    [
      ['USER VOICE: begin the fairy tale', false],
      [`ASSISTANT VOICE: ${story}`, false],
      ['USER VOICE: thank you very much', false],
      ['ASSISTANT VOICE: You are welcome.', false],
    ],
  );
  await customer.endSession(session.sessionId);
});

test.each(faults)(
  'a provider of speech that fails (%s) is replaced by the next one, in both directions',
  async (fault) => {
    const { customer, session, person } = await call(`falls-back-${fault}`);
    await using _ = person;
    await person.reads(/^Welcome\.$/);
    await person.hearsSilence();
    expect(await heardOf(person, 0)).toBe('welcome');
    let heard = '';
    for (let time = 0; time < mostTimes && heard !== 'you are welcome'; time += 1) {
      // Finding out that nothing comes takes a while, on a busy machine too long for the first words.
      await person.sayUntilAnswered(await spoken('thank you very much'), /^You are welcome\.$/);
      await person.hearsSilence();
      heard = await heardOf(person, person.spokeUntil);
    }
    expect(heard).toBe('you are welcome');
    await customer.endSession(session.sessionId);
  },
);

test('an agent that cannot speak any more shows what it would have said, and ends with the reason', async () => {
  const { session, person } = await call('mute');
  await using _ = person;
  expect(await endReason(session.sessionId)).toBe('provider_failed');
  // The words are on their way while the session is over already.
  await eventually('its words are read', () => person.captionsOf('agent').length === 3);
  expect(person.captionsOf('agent')).toEqual(['Welcome.', 'Excuse me.', 'Excuse me.']);
  expect(person.sounds).toEqual([]);
});

test('an agent that cannot hear any more says so each time, and after the third ends with the reason', async () => {
  const { session, person } = await call('deaf');
  await using _ = person;
  // The provider refuses as soon as it is to listen, and again with each utterance.
  await person.reads(/^Excuse me\.$/);
  await person.hearsSilence();
  expect(await heardOf(person, 0)).toMatch(/excuse me$/);
  for (const times of [2, 3]) {
    await person.say(await spoken('thank you very much'));
    const told = () => person.captionsOf('agent').filter((text) => text === 'Excuse me.').length === times;
    await eventually('it is told again, or over', () => told() || person.disconnectedBecause !== undefined);
    await person.hearsSilence();
  }
  expect(await endReason(session.sessionId)).toBe('provider_failed');
});

test('a model that stalls in the middle of its answer is waited for, then the person hears that it is not there', async () => {
  model.reply(({ number }) => (number === 1 ? { text: story, stall: { after: 4 } } : { text: 'You are welcome.' }));
  const customer = await world.customer('thinker');
  const session = await customer.createSession({ interactionMode: 'VOICE' });
  const person = await SpeakingPerson.join(session, { microphone: false });
  await using _ = person;
  await person.write('begin the fairy tale');
  await person.reads(/^Excuse me\.$/);
  await person.hearsSilence();
  const typedAt = performance.now();
  await person.write('thank you very much');
  await person.reads(/^You are welcome\.$/);
  await person.hearsSilence();
  expect(await heardOf(person, typedAt)).toBe('you are welcome');
  await customer.endSession(session.sessionId);
});
