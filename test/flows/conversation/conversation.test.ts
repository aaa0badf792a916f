import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { ParticipantKind } from '@livekit/rtc-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pythonWith } from '../../../scripts/toolchain/python.ts';
import { sql } from '../../../services/store/sql.ts';
import { storedLines } from '../../proofs/proof-world.ts';
import { eventually } from '../../support/eventually.ts';
import type { Customer } from '../../support/people/customer.ts';
import { Person } from '../../support/people/person.ts';
import { type OpenAIServer, startOpenAIServer } from '../../support/stand-ins/openai-server.ts';
import { startToolServer, type ToolServer } from '../../support/stand-ins/tool-server.ts';
import { addAgents, openaiModel } from '../../support/world/agent-files.ts';
import { startWorld, type World } from '../../support/world/world.ts';

let world: World;
let tools: ToolServer;
let model: OpenAIServer;
let echo: Customer;
let thinker: Customer;

beforeAll(async () => {
  [tools, model] = await Promise.all([startToolServer(), startOpenAIServer()]);
  world = await startWorld({ workers: 0, env: { TEST_TOOLS_URL: tools.url } });
  await addAgents(world, { thinker: { model: openaiModel(model.baseUrl), script: undefined } });
  echo = await world.customer('echo');
  thinker = await world.customer('thinker');
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await Promise.all([tools?.[Symbol.asyncDispose](), model?.[Symbol.asyncDispose]()]);
});

interface StoredSession {
  id: string;
  status: string;
  end_reason: string | null;
  opened_by: string;
  duration_seconds: number | null;
  billed_seconds: number | null;
}

async function stored(sessionId: string): Promise<StoredSession> {
  const [row] = await world.admin.query<StoredSession>(sql`select * from sessions where id = ${sessionId}`);
  if (!row) throw new Error(`no session ${sessionId}`);
  return row;
}

/** What the transcript has, once the last reply in it is `last`. */
async function transcriptUpTo(sessionId: string, last: string) {
  return eventually(`the transcript ends with "${last}"`, async () => {
    const lines = await storedLines(world, sessionId);
    return lines.at(-1)?.content === last ? lines.map(({ role, content }) => `${role}: ${content}`) : undefined;
  });
}

const systemMessages = () =>
  model.requests.at(-1)?.body.messages.filter(({ role }) => role === 'system' || role === 'developer') ?? [];

describe('a conversation', () => {
  test('is greeted once, answers turn after turn, and is stored as it was said', { tags: 'quick' }, async () => {
    const session = await echo.createSession();
    await using person = await Person.join(session);
    await person.hears(/^Welcome to the echo\.$/);
    for (const text of ['Good morning', 'Is it raining?', 'Then I stay at home']) {
      await person.ask(text, new RegExp(`^You said: ${text.replace('?', '\\?')}$`));
    }
    expect(person.texts()).toEqual([
      'Welcome to the echo.',
      'You said: Good morning',
      'You said: Is it raining?',
      'You said: Then I stay at home',
    ]);
    expect(await transcriptUpTo(session.sessionId, 'You said: Then I stay at home')).toEqual([
      'ASSISTANT: Welcome to the echo.',
      'USER: Good morning',
      'ASSISTANT: You said: Good morning',
      'USER: Is it raining?',
      'ASSISTANT: You said: Is it raining?',
      'USER: Then I stay at home',
      'ASSISTANT: You said: Then I stay at home',
    ]);
    await echo.endSession(session.sessionId);
  });

  test('is in the language that the session chose, from the greeting on', async () => {
    const session = await echo.createSession({ language: 'de' });
    await using person = await Person.join(session);
    await person.hears(/^Willkommen beim Echo\.$/);
    await person.ask('Guten Tag', /^Du sagtest: Guten Tag$/);
    expect(person.texts()).toEqual(['Willkommen beim Echo.', 'Du sagtest: Guten Tag']);
    await echo.endSession(session.sessionId);
  });

  test('shows the agent as an agent, and what it is doing', async () => {
    const session = await echo.createSession();
    await using person = await Person.join(session);
    await person.hears(/^Welcome/);
    const agent = await eventually('the agent is listening', () =>
      [...person.room.remoteParticipants.values()].find((p) => p.attributes['lk.agent.state'] === 'listening'),
    );
    expect(agent.identity).toBe('agent');
    expect(agent.kind).toBe(ParticipantKind.AGENT);
    await echo.endSession(session.sessionId);
  });

  test('answers two texts in quick succession, both and in their order', async () => {
    const session = await echo.createSession();
    await using person = await Person.join(session);
    await person.hears(/^Welcome/);
    await person.write('first');
    await person.write('second');
    await person.hears(/second/);
    expect(person.texts().slice(1)).toEqual(['You said: first', 'You said: second']);
    await echo.endSession(session.sessionId);
  });

  test('answers three texts that were written in the instant of joining, in their order', async () => {
    const session = await echo.createSession();
    await using person = await Person.join(session);
    for (const text of ['one', 'two', 'three']) await person.write(text);
    await person.hears(/three/);
    expect(person.texts()).toEqual(['Welcome to the echo.', 'You said: one', 'You said: two', 'You said: three']);
    await echo.endSession(session.sessionId);
  });

  test('two conversations at the same time hear nothing of each other', async () => {
    const sessions = await Promise.all([echo.createSession(), echo.createSession({ language: 'de' })]);
    const [first, second] = await Promise.all(sessions.map((session) => Person.join(session)));
    await Promise.all([first?.ask('mine', /^You said: mine$/), second?.ask('meins', /^Du sagtest: meins$/)]);
    expect(first?.texts()).toEqual(['Welcome to the echo.', 'You said: mine']);
    expect(second?.texts()).toEqual(['Willkommen beim Echo.', 'Du sagtest: meins']);
    await Promise.all(sessions.map(({ sessionId }) => echo.endSession(sessionId)));
    await Promise.all([first?.leave(), second?.leave()]);
  });
});

test('how somebody who comes in wants it to be held is heard, although the room server tells of them late', async () => {
  const session = await echo.createSession();
  await using person = await Person.join(session);
  await person.room.localParticipant?.setAttributes({ 'parley.mode': 'text' });
  await eventually('the agent says that it is written', () =>
    [...person.room.remoteParticipants.values()].some(({ attributes }) => attributes['parley.mode'] === 'text'),
  );
  await echo.endSession(session.sessionId);
});

test('an answer in writing ends where the person stops it: the model is left, and what was said of it is stored', async () => {
  const session = await thinker.createSession();
  await using person = await Person.join(session);
  await person.hears(/^Welcome/);
  model.reply(() => ({ text: 'one two three four five six', stall: { after: 3 } }));
  await person.write('count');
  const count = await eventually('it is in the middle of it', () =>
    person.replies.find(({ text, endedAt }) => /^one two three/.test(text) && endedAt === undefined),
  );
  const asked = model.requests.at(-1);
  const stop = { destinationIdentity: 'agent', method: 'parley.interrupt', payload: '' };
  await person.room.localParticipant?.performRpc(stop);
  await eventually('it has ended', () => count.endedAt !== undefined);
  await eventually('nobody waits for the rest of it', () => asked?.gone.aborted);
  model.reply(() => ({ text: 'Very well.' }));
  await person.ask('thank you', /^Very well\.$/);
  const lines = await eventually('all of it is stored', async () => {
    const all = await storedLines(world, session.sessionId);
    return all.at(-1)?.content === 'Very well.' && all;
  });
  expect(lines.slice(1).map(({ role, content }) => `${role}: ${content.trim()}`)).toEqual([
    'USER: count',
    'ASSISTANT: one two three',
    'USER: thank you',
    'ASSISTANT: Very well.',
  ]);
  const [{ interrupted } = {}] = await world.admin.query<{ interrupted: boolean }>(
    sql`select interrupted from messages where session_id = ${session.sessionId} and content like 'one two%'`,
  );
  expect(interrupted).toBe(true);
  await thinker.endSession(session.sessionId);
});

describe('a tool', () => {
  test('is called with checked arguments and its own key, and its result is in the reply', async () => {
    const session = await echo.createSession();
    await using person = await Person.join(session);
    await person.ask('wait 20 lunch', /^Waited: lunch\.$/);
    // The outcome is written down while the reply goes out.
    const calls = await eventually('the call is written down as done', async () => {
      const rows = await world.admin.query<{ id: string; name: string; arguments: unknown; status: string }>(
        sql`select id, name, arguments, status from tool_calls where session_id = ${session.sessionId}`,
      );
      return rows.every(({ status }) => status !== 'started') && rows;
    });
    expect(calls).toMatchObject([{ name: 'wait', arguments: { milliseconds: 20, label: 'lunch' }, status: 'ok' }]);
    const requests = tools.requests.filter(({ body }) => body.label === 'lunch');
    expect(requests).toEqual([
      { path: '/wait', idempotencyKey: calls[0]?.id, body: { milliseconds: 20, label: 'lunch' } },
    ]);
    await echo.endSession(session.sessionId);
  });

  test('that is called twice in one conversation has a key for each call', async () => {
    const session = await echo.createSession();
    await using person = await Person.join(session);
    await person.ask('wait 1 twice', /^Waited: twice\.$/);
    await person.ask('wait 1 twice', /^Waited: twice\.$/);
    const keys = tools.requests.filter(({ body }) => body.label === 'twice').map((request) => request.idempotencyKey);
    expect(new Set(keys).size).toBe(2);
    await echo.endSession(session.sessionId);
  });
});

describe('what a session chooses', () => {
  test('the voice is told as it is used: the default of the language, or the one that was asked for', async () => {
    expect(await echo.createSession()).toMatchObject({ voiceId: 'eva' });
    expect(await echo.createSession({ voiceId: 'tom' })).toMatchObject({ voiceId: 'tom' });
    expect(await echo.createSession({ language: 'de' })).toMatchObject({ voiceId: 'ida' });
  });

  test('another prompt holds for one session and for no other', async () => {
    model.reply(() => ({ text: 'Understood.' }));
    const asked = async (request: Record<string, unknown>) => {
      const session = await thinker.createSession(request);
      await using person = await Person.join(session);
      await person.ask('Who are you?', /^Understood\.$/);
      await thinker.endSession(session.sessionId);
      return JSON.stringify(systemMessages());
    };
    const overridden = await asked({ systemPrompt: 'You are a pirate called Silver.' });
    expect(overridden).toContain('You are a pirate called Silver.');
    expect(overridden).not.toContain('SECRET-PROMPT-MARKER');
    const own = await asked({});
    expect(own).toContain('SECRET-PROMPT-MARKER');
    expect(own).not.toContain('Silver');
  });
});

describe('the end of a conversation', () => {
  test('an agent that ends it says its last words first, and then the room is gone', async () => {
    const session = await echo.createSession();
    await using person = await Person.join(session);
    await person.ask('goodbye', /^Goodbye!$/);
    await eventually('the room is gone', () => person.disconnectedBecause !== undefined);
    expect(person.texts().at(-1)).toBe('Goodbye!');
    expect(await stored(session.sessionId)).toMatchObject({ status: 'ended', end_reason: 'agent_ended' });
    expect(await transcriptUpTo(session.sessionId, 'Goodbye!')).toContain('USER: goodbye');
    expect((await echo.endSession(session.sessionId)).endReason).toBe('agent_ended');
  });

  test('ending it twice, even at once, changes nothing and gives the same answer', async () => {
    const session = await echo.createSession();
    await using person = await Person.join(session);
    await person.ask('hello', /hello/);
    const [first, second] = await Promise.all([1, 2].map(() => echo.endSession(session.sessionId)));
    expect(second).toEqual(first);
    expect(await echo.endSession(session.sessionId)).toEqual(first);
    expect(first).toMatchObject({ status: 'ended', endReason: 'client_ended' });
    const usage = await world.admin.query<{ jobs: number }>(
      sql`select count(*)::integer as jobs from graphile_worker.jobs where key = ${`finish ${session.sessionId}`}`,
    );
    expect(usage).toEqual([{ jobs: 1 }]);
    await eventually('the person is sent out', () => person.disconnectedBecause !== undefined);
  });

  test("its figures agree with the person's own clock", async () => {
    const session = await echo.createSession();
    const before = performance.now();
    await using person = await Person.join(session);
    const inside = performance.now();
    await person.ask('wait 3000 figures', /^Waited: figures\.$/);
    const asked = performance.now();
    const ended = await echo.endSession(session.sessionId);
    const answered = performance.now();
    // The join and the end each lie between two readings of the client's clock; whole seconds round once.
    const [least, most] = [Math.floor((asked - inside) / 1000), Math.ceil((answered - before) / 1000)];
    expect(ended.durationSeconds).toBeGreaterThanOrEqual(least);
    expect(ended.durationSeconds).toBeLessThanOrEqual(most);
    expect(ended.billedSeconds).toBe(ended.durationSeconds);
    expect(Date.parse(ended.endedAt) - Date.parse(ended.startedAt ?? '')).toBeLessThanOrEqual(answered - before + 50);
  });

  test('a session that nobody joined costs nothing', async () => {
    const session = await echo.createSession();
    expect(await echo.endSession(session.sessionId)).toMatchObject({
      startedAt: null,
      durationSeconds: 0,
      billedSeconds: 0,
      endReason: 'client_ended',
    });
  });

  test('a token of an ended session opens nothing', async () => {
    const session = await echo.createSession();
    await echo.endSession(session.sessionId);
    await eventually('the room is closed', async () => {
      const late = await Person.join(session).catch((error: Error) => error);
      if (late instanceof Error) return true;
      await late.leave();
      return false;
    });
    expect((await echo.call('GET', `/api/sessions/${session.sessionId}`)).status).toBe(409);
  });
});

test('a room that came with a token is a session like any other: talked in, ended and in the ledger', async () => {
  const billed = async () =>
    (
      await world.admin.query<{ sessions: number; seconds: number }>(
        sql`select coalesce(sum(sessions), 0)::integer as sessions, coalesce(sum(billed_seconds), 0)::integer as seconds
          from agent_usage where agent = 'echo'`,
      )
    )[0] ?? { sessions: 0, seconds: 0 };
  const connection = await echo.createToken({ language: 'de' });
  await using person = await Person.join(connection);
  await person.hears(/^Willkommen beim Echo\.$/);
  await person.ask('wait 1200 token', /^Waited: token\.$/);
  const response = await echo.call('GET', `/api/sessions/config/${person.room.name}`);
  const { sessionId } = (await response.json()) as { sessionId: string };
  expect(await stored(sessionId)).toMatchObject({ status: 'running', opened_by: 'token' });
  const before = await billed();
  const ended = await echo.endSession(sessionId);
  expect(ended.billedSeconds).toBeGreaterThanOrEqual(1);
  expect(await billed()).toEqual({
    sessions: before.sessions + 1,
    seconds: before.seconds + ended.billedSeconds,
  });
});

/** One of the programs in examples/, somebody typing these lines. */
function typedInto(program: string, file: string, lines: readonly string[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const path = join(import.meta.dirname, '../../../examples', file);
  // As in a terminal, where nobody has set it.
  const options = { timeout: 90_000, env: { ...process.env, NODE_ENV: undefined } };
  const child = execFile(program, [path, world.baseUrl, echo.apiKey], options, (error, stdout) =>
    error ? reject(error) : resolve(stdout),
  );
  const left = [...lines];
  // One line after each answer, the greeting being the first.
  child.stdout?.on('data', (text: string) => {
    for (const _ of text.matchAll(/^agent> /gm)) {
      const line = left.shift();
      if (line === undefined) child.stdin?.end();
      else child.stdin?.write(`${line}\n`);
    }
  });
  return promise;
}

describe('the programs that others begin with', () => {
  test.each([
    ['Node', 'chat.mjs'],
    ['Python', 'chat.py'],
  ])('hold a conversation: %s', async (_language, file) => {
    const program = file.endsWith('.py') ? join(await pythonWith('livekit'), 'python') : process.execPath;
    const shown = await typedInto(program, file, ['good morning', 'and again']);
    expect(shown.trim().split('\n')).toEqual([
      'agent> Welcome to the echo.',
      expect.stringMatching(/^agent> .*good morning/),
      expect.stringMatching(/^agent> .*and again/),
    ]);
  });
});
