import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Credentials } from '../../../services/core/credentials/credentials.ts';
import { startRedis, type TestRedis } from '../../support/databases/redis.ts';
import { eventually } from '../../support/eventually.ts';
import { type Answer, ask } from '../../support/people/rest.ts';
import { compiledAgent } from '../../support/world/compiled-agent.ts';
import { startWorld, type World } from '../../support/world/world.ts';

const caps = { concurrentSessions: 10_000, tokensPerDay: 1_000_000, unjoinedSessions: 10_000, requestsPerMinute: 180 };
const agents = ['crowd', 'addresses', 'outage', 'frozen', 'late'];

let redis: TestRedis;
let world: World;
let credentials: Record<string, Credentials>;

/** `count` requests, alternating between the replicas, at most `atOnce` under way. */
async function flood(
  agent: string,
  count: number,
  { atOnce = count, address = '203.0.113.7' } = {},
): Promise<Answer[]> {
  const key = credentials[agent]?.apiKey;
  const answers: Answer[] = [];
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const base = `http://127.0.0.1:${world.apis[next++ % world.apis.length]?.port}`;
      answers.push(await ask(base, 'GET', '/api/sessions/languages', { key, headers: { 'x-forwarded-for': address } }));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return answers;
}

const passed = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 200).length;
const refused = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 429).length;

/** The sum of a figure over the replicas. */
async function total(metric: string): Promise<number> {
  const texts = await Promise.all(
    world.apis.map(async ({ internalPort }) => (await fetch(`http://127.0.0.1:${internalPort}/metrics`)).text()),
  );
  const values = texts.map((text) => Number(new RegExp(`^${metric} (\\d+)$`, 'm').exec(text)?.[1]));
  return values.reduce((sum, value) => sum + value, 0);
}

/** How many replicas say that they count alone. */
const alone = () => total('parley_rate_limit_counting_alone');

const rounds = 20;

/**
 * What came of the first round in which no request was counted by a replica for itself: on a busy machine Redis is late now
 * and then, and what is exact over all replicas is so only while it answers. Each round has addresses of its own, and one that is
 * not whole, because the database was late, does not count.
 */
async function together<Outcome>(
  attempt: (round: number) => Promise<Outcome>,
  isWhole: (outcome: Outcome) => boolean = () => true,
): Promise<Outcome> {
  for (let round = 0; round < rounds; round += 1) {
    await eventually('both count together', async () => (await alone()) === 0);
    const before = await total('parley_rate_limit_counted_alone_total');
    const outcome = await attempt(round);
    const inTime = (await total('parley_rate_limit_counted_alone_total')) === before;
    if (inTime && isWhole(outcome)) return outcome;
  }
  throw new Error(`Redis or the database was late in each of ${rounds} rounds`);
}

beforeAll(async () => {
  redis = await startRedis({ running: false });
  // They start without Redis, as after an outage of everything, and must find it later.
  world = await startWorld({
    hosts: 0,
    workers: 0,
    apis: 2,
    settings: { redisUrl: redis.url, trustProxyHops: 1, logLevel: 'warn' },
  });
  credentials = await world.publish(
    agents.map((agent) => {
      const plain = compiledAgent({ agent });
      return { ...plain, settings: { ...plain.settings, caps } };
    }),
  );
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await redis?.[Symbol.asyncDispose]();
});

test('started without Redis, each replica counts for itself, until Redis is there', async () => {
  await eventually('both say that they count alone', async () => (await alone()) === 2);
  const answers = await flood('late', 500, { atOnce: 50 });
  expect([passed(answers), refused(answers)]).toEqual([360, 140]);
  await redis.start();
  await eventually('both count together', async () => (await alone()) === 0);
});

test('of 1000 requests at once over two processes exactly 180 pass, and the others are told when to come back', async () => {
  const answers = await together(
    (round) => flood('crowd', 1_000, { address: `203.0.113.${round}` }),
    (all) => passed(all) + refused(all) === all.length,
  );
  expect([passed(answers), refused(answers)]).toEqual([180, 820]);
  const late = answers.find(({ status }) => status === 429);
  expect(late?.body).toEqual({ code: 'rate_limited', message: expect.stringMatching(/Wait \d+ s/) });
  expect(Number(late?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(late?.headers.get('ratelimit')).toMatch(/r=0; t=\d+/);
  expect(late?.headers.get('ratelimit-policy')).toMatch(/q=180; w=60/);
});

test('each address has its own budget, IPv6 by /64, and what a client writes into the header changes nothing', async () => {
  const one = async (address: string) => (await flood('addresses', 1, { address }))[0]?.status;
  const many = async (address: string) => passed(await flood('addresses', 200, { atOnce: 20, address }));
  const inOrder = async (round: number) => {
    const [v4, v6] = [`198.51.${round}`, `2001:db8:${round}`];
    return [
      await many(`${v4}.1`),
      await one(`${v4}.2`),
      await one(`${v4}.99, ${v4}.1`),
      await many(`${v6}:2::1`),
      await one(`${v6}:2:ffff::9`),
      await one(`${v6}:3::1`),
    ];
  };
  expect(await together(inOrder)).toEqual([180, 200, 429, 180, 429, 200]);
  expect(await one('not an address')).toBe(200);
});

test('an address whose keys are refused is told so 180 times, over both replicas, then to wait; good keys pass from there', async () => {
  const guess = (index: number, address: string, key = `pk_${randomBytes(32).toString('base64url')}`) =>
    ask(`http://127.0.0.1:${world.apis[index % 2]?.port}`, 'GET', '/api/sessions/languages', {
      key,
      headers: { 'x-forwarded-for': address },
    });
  await flood('addresses', 2, { address: '192.0.2.200' });
  const inOrder = async (round: number) => {
    const address = `192.0.2.${round}`;
    const codes: unknown[] = [];
    for (let index = 0; index < 240; index += 1) codes.push((await guess(index, address)).body.code);
    const refusedKeys = codes.filter((code) => code === 'invalid_api_key').length;
    expect(codes.slice(-40)).toEqual(Array.from({ length: 40 }, () => 'rate_limited'));
    const late = await guess(0, address);
    expect([late.status, Number(late.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect(late.headers.get('ratelimit')).toMatch(/^"refused-keys"; r=0; t=\d+$/);
    expect(passed(await flood('addresses', 2, { address }))).toBe(2);
    expect((await guess(0, `192.0.3.${round}`)).status).toBe(401);
    // A replica learns of the other's when it refuses one itself.
    return refusedKeys === 180 || refusedKeys === 181;
  };
  expect(await together(inOrder)).toBe(true);
});

test('with Redis killed nobody is refused for it: each replica counts for itself, says so, and finds back', async () => {
  expect(passed(await flood('outage', 100, { atOnce: 20 }))).toBe(100);
  await redis.kill();
  // From another address: a Redis that was late a moment ago has had some of the first ones counted by a replica already.
  const answers = await flood('outage', 500, { atOnce: 50, address: '203.0.113.8' });
  expect([passed(answers), refused(answers)]).toEqual([360, 140]);
  expect(await alone()).toBe(2);
  await redis.start();
  const again = (round: number) => flood('outage', 200, { atOnce: 20, address: `198.51.100.${round}` });
  expect(passed(await together(again))).toBe(180);
});

test('a Redis that hangs holds nobody up', async () => {
  expect(passed(await flood('frozen', 10))).toBe(10);
  redis.pause();
  try {
    const answers = await flood('frozen', 100, { atOnce: 20 });
    expect(passed(answers)).toBe(100);
    expect(await alone()).toBe(2);
  } finally {
    redis.resume();
  }
  await eventually('both count together', async () => {
    await flood('frozen', 2, { address: '203.0.113.9' });
    return (await alone()) === 0;
  });
});
