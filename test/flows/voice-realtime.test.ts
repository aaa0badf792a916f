import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../services/store/sql.ts';
import { addAgents } from '../support/agent-files.ts';
import type { Customer } from '../support/customer.ts';
import { eventually } from '../support/eventually.ts';
import { openaiRealtime, type RealtimeTest } from '../support/providers/openai-realtime.ts';
import { type SpeechServer, startSpeechServer, testKey } from '../support/providers/speech-server.ts';
import { SpeakingPerson } from '../support/speaking-person.ts';
import { spoken } from '../support/speech-sound.ts';
import { lineOf, spokenTranscript } from '../support/spoken-transcript.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;
let server: SpeechServer;
let model: RealtimeTest;
let customer: Customer;

const story =
  'Once there was a miller who had three sons. The first one took the mill. The second one took the donkey. ' +
  'The third one took the cat, and nobody thought that it was worth anything. But the cat asked for a pair of boots.';

beforeAll(async () => {
  model = openaiRealtime();
  server = await startSpeechServer(model.protocol);
  world = await startWorld({ workers: 0, env: { OPENAI_API_KEY: testKey } });
  await addAgents(world, {
    fluent: {
      voiceAgentKind: 'realtime',
      realtime: { baseUrl: `${server.url}/v1` },
      languages: [
        { code: 'en', name: 'English', greeting: 'Welcome to the model.', lines: { modelUnavailable: 'Excuse me.' } },
      ],
      tools: ['end_call', 'collect'],
      script: { fallback: 'By writing.', rules: [{ when: '^never said', say: 'Never.' }] },
    },
    keyless: {
      voiceAgentKind: 'realtime',
      realtime: { baseUrl: `${server.url}/v1`, apiKey: { env: 'OUR_OWN_KEY' } },
      script: { fallback: 'By writing.', rules: [{ when: '^never said', say: 'Never.' }] },
    },
  });
  customer = await world.customer('fluent');
});

beforeEach(() => {
  server.fault = undefined;
  model.hears.length = 0;
  model.reply(({ text }) => ({ text: `You said: ${text}` }));
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

/** The transcript, once it has `count` lines. */
const transcript = (sessionId: string, count: number) => spokenTranscript(world, sessionId, count);

const ended = (sessionId: string) =>
  eventually(
    'the session is over',
    async () => {
      const [row] = await world.admin.query<{ status: string; end_reason: string }>(
        sql`select status, end_reason from sessions where id = ${sessionId}`,
      );
      return row?.status === 'ended' && row.end_reason;
    },
    { withinMs: 60_000 },
  );

/** In a call that has been greeted. */
async function call() {
  const session = await customer.createSession({ interactionMode: 'VOICE' });
  const person = await SpeakingPerson.join(session);
  await person.reads(/^Welcome to the model\.$/);
  await person.hearsSilence();
  return { session, person };
}

/** The sound is what matters to the model of the tests: that there is some. */
async function speak(person: SpeakingPerson, understood: string): Promise<void> {
  model.hears.push(understood);
  await person.say(await spoken('hello my friend'));
}

test('a speech-to-speech model is heard, hears, and both sides are written down; typing is answered aloud', async () => {
  const { session, person } = await call();
  await using _ = person;
  expect(person.sounds).not.toHaveLength(0);
  await speak(person, 'hello there');
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
  expect(model.session.instructions).toContain('SECRET-PROMPT-MARKER');
  await customer.endSession(session.sessionId);
  await eventually('the connection is closed', () => model.connections === 0);
});

test('what was not heard when the person spoke over it is neither stored nor remembered', async () => {
  const { session, person } = await call();
  await using _ = person;
  model.reply(({ text }) => ({ text: text === 'tell me' ? story : 'I have stopped.' }));
  await speak(person, 'tell me');
  const began = await person.hearsSound({ since: person.spokeUntil });
  await eventually('the story has gone on for a while', () => performance.now() - began.from > 2_000, { everyMs: 5 });
  await speak(person, 'please stop');
  await person.reads(/^I have stopped\.$/);
  const lines = await transcript(session.sessionId, 5);
  expect(lines[2]).toMatchObject({ role: 'ASSISTANT', interrupted: true });
  expect(story.startsWith(lines[2]?.content ?? '?')).toBe(true);
  expect(lines[2]?.content.length).toBeLessThan(story.length / 2);
  expect(lines.slice(3).map(lineOf)).toEqual(['USER VOICE: please stop', 'ASSISTANT VOICE: I have stopped.']);
  expect(model.truncated.at(-1)?.audio_end_ms).toBeGreaterThan(0);
  await customer.endSession(session.sessionId);
});

test('its tools are written down before they run, and it may end the call', async () => {
  const { session, person } = await call();
  await using _ = person;
  model.reply(({ text }) => {
    if (text === 'I am Ada') return { calls: [{ name: 'collect', arguments: { field: 'name', value: 'Ada' } }] };
    if (text === 'goodbye') return { text: 'Goodbye.', calls: [{ name: 'end_call', arguments: {} }] };
    return { text: `It told me: ${text}` };
  });
  await speak(person, 'I am Ada');
  await person.reads(/^It told me: "?Noted/);
  await person.hearsSilence();
  await speak(person, 'goodbye');
  await person.reads(/^Goodbye\.$/);
  expect(await ended(session.sessionId)).toBe('agent_ended');
  const calls = await world.admin.query<{ name: string; status: string }>(
    sql`select name, status from tool_calls where session_id = ${session.sessionId} order by sequence`,
  );
  expect(calls).toEqual([
    { name: 'collect', status: 'ok' },
    { name: 'end_call', status: 'ok' },
  ]);
});

test.each([
  ['whose connection is lost in the middle', { text: story, drop: 3 }],
  ['that fails', { fails: 'server_error' }],
])('an answer %s is followed by a line, and the conversation goes on', async (_, broken) => {
  const { session, person } = await call();
  await using __ = person;
  model.reply(({ text }) => (text === 'break' ? broken : { text: `You said: ${text}` }));
  await speak(person, 'break');
  await person.reads(/^Excuse me\.$/);
  await person.hearsSilence();
  await person.write('still there');
  await person.reads(/^You said: still there$/);
  await customer.endSession(session.sessionId);
});

test('a key that is refused ends the session with its reason', async () => {
  server.fault = 401;
  const session = await customer.createSession({ interactionMode: 'VOICE' });
  await using person = await SpeakingPerson.join(session);
  expect(await ended(session.sessionId)).toBe('provider_failed');
  // What could not be said aloud is there to be read.
  expect(person.captionsOf('agent')[0]).toBe('Welcome to the model.');
});

test('another host goes on with what was said', async () => {
  const { session, person } = await call();
  await using _ = person;
  await speak(person, 'my name is Ada');
  await person.reads(/my name is Ada$/);
  await person.hearsSilence();
  const agent = () => [...person.room.remoteParticipants.values()].find(({ identity }) => identity === 'agent')?.sid;
  const first = agent();
  const host = await world.hostOf(session.sessionId);
  await world.startHost();
  await host.kill();
  await eventually('another host is there', () => agent() !== undefined && agent() !== first);
  model.reply(({ items }) => ({ text: `Known: ${JSON.stringify(items).includes('my name is Ada')}` }));
  await person.write('who am I');
  await person.reads(/^Known: true$/);
  await customer.endSession(session.sessionId);
});

test('where no host has its key it is not spoken, the log says why, and it can still be written to', async () => {
  const keyless = await world.customer('keyless');
  await expect(keyless.createSession({ interactionMode: 'VOICE' })).rejects.toThrow('voice_unavailable');
  const told = () => world.apis.some((api) => api.output().includes('It needs the variable OUR_OWN_KEY.'));
  await eventually('the log names what is missing', told);
  await using person = await SpeakingPerson.join(await keyless.createSession({ interactionMode: 'TEXT' }));
  await person.write('hello');
  await person.reads(/^By writing\.$/);
  // With the key it can be spoken with, on the host that has it.
  await world.startHost({ OUR_OWN_KEY: testKey });
  await using caller = await SpeakingPerson.join(await keyless.createSession({ interactionMode: 'VOICE' }));
  await caller.hearsSound();
});

test('its written sessions are answered by its other model', async () => {
  const connections = server.requests.length;
  const session = await customer.createSession({ interactionMode: 'TEXT' });
  await using person = await SpeakingPerson.join(session, { microphone: false });
  await person.write('hello');
  await person.reads(/^By writing\.$/);
  expect(server.requests.length).toBe(connections);
  await customer.endSession(session.sessionId);
});
