import { DisconnectReason } from '@livekit/rtc-node';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { everythingAnsweredOnce, storedLines } from '../../proofs/proof-world.ts';
import { eventually } from '../../support/eventually.ts';
import type { Customer } from '../../support/people/customer.ts';
import { Person } from '../../support/people/person.ts';
import { PersonProcess } from '../../support/people/person-process.ts';
import { type OpenAIServer, startOpenAIServer } from '../../support/stand-ins/openai-server.ts';
import { addAgents, openaiModel } from '../../support/world/agent-files.ts';
import { startWorld, type World } from '../../support/world/world.ts';

let world: World;
let model: OpenAIServer;
let echo: Customer;
let hasty: Customer;
let thinker: Customer;

beforeAll(async () => {
  model = await startOpenAIServer();
  world = await startWorld({ workers: 0, env: { TEST_TOOLS_URL: 'http://127.0.0.1:9' } });
  await addAgents(world, {
    hasty: { limits: { reconnectGrace: '1s' } },
    thinker: { model: openaiModel(model.baseUrl), script: undefined },
  });
  [echo, hasty, thinker] = (await Promise.all(['echo', 'hasty', 'thinker'].map((agent) => world.customer(agent)))) as [
    Customer,
    Customer,
    Customer,
  ];
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

interface Stay {
  from: Date;
  to: Date | null;
}

const stays = (sessionId: string) =>
  world.admin.query<Stay>(
    sql`select joined_at as from, left_at as to from presence where session_id = ${sessionId} and role = 'person' order by joined_at`,
  );

const departureSeen = (sessionId: string, nth: number) =>
  eventually(`departure ${nth} is written down`, async () => (await stays(sessionId))[nth - 1]?.to ?? undefined);

/** How long a person is away is what is being played: by the database's clock, which is billed by. */
const awayFor = (seconds: number, since: Date) =>
  eventually(`the person has been away for ${seconds} s`, async () => {
    const isOver = sql`select 1 where clock_timestamp() >= ${since}::timestamptz + make_interval(secs => ${seconds})`;
    return (await world.admin.query(isOver)).length > 0;
  });

const greetings = async (sessionId: string) =>
  (await storedLines(world, sessionId)).filter(({ content }) => /^(Welcome|Willkommen)/.test(content)).length;

describe('a person who drops and comes back within the grace', () => {
  test('goes on in the same conversation with the token of GET, and is not greeted again', async () => {
    const session = await echo.createSession({ language: 'de', voiceId: 'ida' });
    const before = await Person.join(session);
    await before.hears(/^Willkommen/);
    await before.ask('eins', /^Du sagtest: eins$/);
    await before.leave();
    await departureSeen(session.sessionId, 1);
    const again = await echo.readSession(session.sessionId);
    expect(again).toMatchObject({ sessionId: session.sessionId, wsUrl: session.wsUrl, voiceId: 'ida' });
    await using after = await Person.join(again);
    await after.ask('zwei', /^Du sagtest: zwei$/);
    expect(after.texts().at(-1)).toBe('Du sagtest: zwei');
    expect(await greetings(session.sessionId)).toBe(1);
    await everythingAnsweredOnce(world, session.sessionId, ['eins', 'zwei']);
    await echo.endSession(session.sessionId);
  });

  test('finds an agent that remembers what was said', async () => {
    model.reply(() => ({ text: 'Noted.' }));
    const session = await thinker.createSession();
    const before = await Person.join(session);
    await before.ask('My name is Ada.', /^Noted\.$/);
    await before.leave();
    model.reply(() => ({ text: 'Ada.' }));
    await using after = await Person.join(await thinker.readSession(session.sessionId));
    await after.ask('What is my name?', /^Ada\.$/);
    const said = model.requests.at(-1)?.body.messages.filter(({ role }) => role === 'user' || role === 'assistant');
    expect(said?.map(({ role, content }) => `${role}: ${content}`)).toEqual([
      'assistant: Welcome to the echo.',
      'user: My name is Ada.',
      'assistant: Noted.',
      'user: What is my name?',
    ]);
    await thinker.endSession(session.sessionId);
  });

  test('pays for the time between as for the rest of the conversation', async () => {
    const session = await echo.createSession();
    const before = await Person.join(session);
    await before.ask('one', /one/);
    await before.leave();
    await awayFor(2, await departureSeen(session.sessionId, 1));
    await using after = await Person.join(await echo.readSession(session.sessionId));
    await after.ask('two', /two/);
    const ended = await echo.endSession(session.sessionId);
    const [first, second] = await stays(session.sessionId);
    expect((second?.from.getTime() ?? 0) - (first?.to?.getTime() ?? 0)).toBeGreaterThanOrEqual(1_900);
    expect(ended.durationSeconds).toBeGreaterThanOrEqual(2);
    expect(ended.billedSeconds).toBe(ended.durationSeconds);
  });

  test('with another client of the same session takes the place of the first', async () => {
    const session = await echo.createSession();
    await using first = await Person.join(session);
    await first.ask('here', /^You said: here$/);
    await using second = await Person.join(await echo.readSession(session.sessionId));
    await eventually('the first client is sent out', () => first.disconnectedBecause !== undefined);
    expect(first.disconnectedBecause).toBe(DisconnectReason.DUPLICATE_IDENTITY);
    await second.ask('and here', /^You said: and here$/);
    expect(second.texts().at(-1)).toBe('You said: and here');
    expect(await greetings(session.sessionId)).toBe(1);
    await echo.endSession(session.sessionId);
  });

  test('after their client was killed goes on as well, and is billed once for all of it', async () => {
    const session = await echo.createSession();
    await using killed = new PersonProcess(session, 'from the first');
    await killed.hears(/^You said: from the first$/);
    await killed.kill();
    await awayFor(1, new Date());
    await using after = await Person.join(await echo.readSession(session.sessionId));
    await after.ask('from the second', /^You said: from the second$/);
    expect(await greetings(session.sessionId)).toBe(1);
    await everythingAnsweredOnce(world, session.sessionId, ['from the first', 'from the second']);
    const ended = await echo.endSession(session.sessionId);
    expect(ended.durationSeconds).toBeGreaterThanOrEqual(1);
    expect(ended.billedSeconds).toBe(ended.durationSeconds);
  });

  test('may be gone while the agent answers: the answer is stored, and said to them when they are back', async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    model.reply(async () => {
      await gate;
      return { text: 'It took a while.' };
    });
    const session = await thinker.createSession();
    const before = await Person.join(session);
    const asked = model.requests.length;
    await before.write('Think hard.');
    await eventually('the model is asked', () => model.requests.length > asked);
    await before.leave();
    await departureSeen(session.sessionId, 1);
    release();
    await everythingAnsweredOnce(world, session.sessionId, ['Think hard.']);
    model.reply(() => ({ text: 'Welcome back.' }));
    await using after = await Person.join(await thinker.readSession(session.sessionId));
    await after.hears(/^It took a while\.$/);
    await after.ask('I am back.', /^Welcome back\.$/);
    await everythingAnsweredOnce(world, session.sessionId, ['Think hard.', 'I am back.']);
    await thinker.endSession(session.sessionId);
  });

  const long = Array.from({ length: 60 }, (_, word) => `word${word}`).join(' ');

  test.for([
    ['leaves', async (before: Person) => before.leave()],
    ['is sent out by another client of theirs', async () => {}],
  ] as const)('in the middle of an answer reads all of it: who %s', async ([, leave]) => {
    model.reply(() => ({ text: long, chunkDelayMs: 50 }));
    const session = await thinker.createSession();
    await using before = await Person.join(session);
    await before.write('Tell me a lot.');
    await eventually('the answer has begun', () => before.replies.some(({ text }) => text.includes('word1 ')));
    await leave(before);
    await using after = await Person.join(await thinker.readSession(session.sessionId));
    await eventually('the whole answer is there', () => after.texts().includes(long));
    await everythingAnsweredOnce(world, session.sessionId, ['Tell me a lot.']);
    await thinker.endSession(session.sessionId);
  });
});

test('a gap that is longer than the grace is not paid for, even if nobody ended the session meanwhile', async () => {
  const session = await hasty.createSession();
  const before = await Person.join(session);
  await before.ask('one', /one/);
  await before.leave();
  await awayFor(3, await departureSeen(session.sessionId, 1));
  await using after = await Person.join(await hasty.readSession(session.sessionId));
  await after.ask('two', /two/);
  const ended = await hasty.endSession(session.sessionId);
  expect(ended.durationSeconds).toBeGreaterThanOrEqual(3);
  expect(ended.billedSeconds).toBeLessThanOrEqual(ended.durationSeconds - 2);
});

test('fresh credentials are for the same room and the same participant', async () => {
  const session = await echo.createSession();
  const grants = (token: string) => {
    const { sub, video } = decodeJwt<{ video: Record<string, unknown> }>(token);
    return { sub, video };
  };
  const [first, second] = [await echo.readSession(session.sessionId), await echo.readSession(session.sessionId)];
  expect(grants(first.token)).toEqual(grants(session.token));
  expect(grants(second.token)).toEqual(grants(session.token));
  await echo.endSession(session.sessionId);
  expect((await echo.call('GET', `/api/sessions/${session.sessionId}`)).status).toBe(409);
});
