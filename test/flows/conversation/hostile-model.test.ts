import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { upsertTenant } from '../../../services/store/tables/tenants.ts';
import { eventually } from '../../support/eventually.ts';
import { type Attack, makeAttacks } from '../../support/hostile/attacks.ts';
import { excessOf } from '../../support/hostile/granted.ts';
import { rowsOf } from '../../support/hostile/rows.ts';
import { builtins, foreignTool, givenTools, validArguments } from '../../support/hostile/tools.ts';
import { Customer } from '../../support/people/customer.ts';
import { Person } from '../../support/people/person.ts';
import { textOf } from '../../support/stand-ins/obedient-model.ts';
import {
  type ChatRequest,
  type Completion,
  type OpenAIServer,
  startOpenAIServer,
} from '../../support/stand-ins/openai-server.ts';
import { startToolEndpoint, type ToolEndpoint } from '../../support/stand-ins/tool-endpoint.ts';
import { addAgents, openaiModel } from '../../support/world/agent-files.ts';
import { compiledAgent } from '../../support/world/compiled-agent.ts';
import { startWorld, type World } from '../../support/world/world.ts';

const conversationsAtOnce = 6;
const attacksAtOnce = 9;
const limits = { toolCallsPerTurn: 10, equalToolCalls: 5 };

let world: World;
let model: OpenAIServer;
let shop: ToolEndpoint;
/** Where nobody may ever call. */
let inside: ToolEndpoint;
let victim: Customer;
let attacks: Attack[];
let otherTenant: string;
/** What pages were asked, in the order in which it came. */
const asked: unknown[] = [];

beforeAll(async () => {
  model = await startOpenAIServer();
  shop = await startToolEndpoint((response) => response.end('{"found":true}'));
  inside = await startToolEndpoint((response) => response.end('{"inside":true}'));
  const env = { TEST_SHOP_URL: shop.url, TEST_SHOP_TOKEN: 'Bearer SHOP-TOKEN-MARKER' };
  world = await startWorld({ workers: 0, env });
  const files = { ...Object.fromEntries(Object.entries(givenTools).map(([name, { yaml }]) => [name, yaml])) };
  for (const [name, yaml] of Object.entries({ ...files, delete_everything: foreignTool }))
    await writeFile(join(world.agentsFolder, 'tools', `${name}.yaml`), yaml);
  await addAgents(world, {
    victim: {
      model: openaiModel(model.baseUrl),
      script: undefined,
      tools: [...Object.keys(givenTools), ...Object.keys(builtins), 'transfer'],
      context: { maxTokens: 3_000, instructionTokens: 1_000 },
      limits: { ...limits, turns: 5_000, tokens: 20_000_000, textsWaiting: 100 },
    },
  });
  victim = await world.customer('victim');
  const other = await startOtherTenant();
  otherTenant = other.tenant;
  attacks = makeAttacks({ ids: other.ids, inside: inside.url });
  model.reply(emit);
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await Promise.all([model, shop, inside].map((server) => server?.[Symbol.asyncDispose]()));
});

/** Somebody else in the same installation, with a conversation that is over; and all that could name it. */
async function startOtherTenant(): Promise<{ tenant: string; ids: string[] }> {
  const { id: tenant } = await upsertTenant(world.admin, { slug: 'other', name: 'Other', features: {} });
  const script = { rules: [], fallback: { '*': 'The code is 1234.' } };
  const credentials = await world.publish([compiledAgent({ agent: 'vault', definition: { script } })], tenant);
  const { apiKey = '', apiSecret = '' } = credentials.vault ?? {};
  const customer = new Customer(world.baseUrl, apiKey);
  const session = await customer.createSession();
  await using person = await Person.join(session);
  await person.ask('What is the code?', /1234/);
  await customer.endSession(session.sessionId);
  // Its host has let go of it, and has written down what the conversation cost: from now on nothing changes by itself.
  const settled = sql`
    select room_name from sessions join agent_usage usage using (tenant_id)
    where id = ${session.sessionId} and host_id is null and usage.tokens > 0`;
  const [row] = await eventually('the conversation is settled', async () => {
    const rows = await world.admin.query<{ room_name: string }>(settled);
    return rows.length > 0 ? rows : undefined;
  });
  return { tenant, ids: [session.sessionId, row?.room_name ?? '', tenant, 'vault', apiKey, apiSecret] };
}

/** Attacks whose answer waits for something to happen first. */
const holds = new Map<number, { asking: () => void; until: Promise<void> }>();

/** The hostile model: answers `attack N` with the calls of that attack, and everything else with a word. */
async function emit({ body: { messages } }: ChatRequest): Promise<Completion> {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const text = textOf(messages[last]?.content);
  const [, number] = /^attack (\d+)$/.exec(text) ?? [];
  const isAnswered = messages.slice(last + 1).some(({ role }) => role === 'tool');
  if (number === undefined || isAnswered) return { text: `Heard: ${text}` };
  const hold = holds.get(Number(number));
  hold?.asking();
  await hold?.until;
  return { toolCalls: attacks[Number(number)]?.calls ?? [], plainToolCalls: true };
}

/** A conversation in which these attacks are made, one turn each. */
async function conversationWith(numbers: readonly number[]): Promise<string> {
  const session = await eventually('a session is created', () => victim.createSession());
  await using person = await Person.join(session);
  person.room.localParticipant?.registerRpcMethod('show_map', async ({ payload }) => {
    asked.push(JSON.parse(payload));
    return 'shown';
  });
  for (let from = 0; from < numbers.length; from += attacksAtOnce) {
    for (const number of numbers.slice(from, from + attacksAtOnce)) await person.write(`attack ${number}`);
    await person.ask(`done ${from}`, new RegExp(`^Heard: done ${from}$`));
  }
  return session.sessionId;
}

interface StoredCall {
  session_id: string;
  turn: number;
  name: string;
  arguments: unknown;
}

const storedCalls = () =>
  world.admin.query<StoredCall>(sql`select * from tool_calls where tenant_id = ${world.tenant}`);

const excesses = () =>
  shop.requests.flatMap((request) => {
    const excess = excessOf(request, new URL(shop.url).host);
    return excess === undefined ? [] : [{ excess, target: request.target, body: request.body.slice(0, 200) }];
  });

/** How often the most frequent of them is there. */
function most(keys: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

describe('what observes the attacks', () => {
  const host = 'shop.example';
  const given = { host, authorization: 'Bearer SHOP-TOKEN-MARKER' };
  test.for([
    ['GET', '/orders/..%2Fadmin', given, ''],
    ['GET', '/orders/%252e%252e%252fadmin', given, ''],
    ['GET', '/orders/a?admin=true', given, ''],
    ['GET', '/orders/a%0d%0ax', given, ''],
    ['GET', '/search?limit=5&text=a&limit=9', given, ''],
    ['DELETE', '/orders/a', given, ''],
    ['POST', '/bookings', given, '{"name":"Ada","guests":2,"day":"2026-11-21","admin":true}'],
    ['POST', '/bookings', given, '{"name":"Ada","guests":99,"day":"2026-11-21"}'],
    ['GET', '/orders/a', { ...given, 'x-admin': 'true' }, ''],
    ['GET', '/orders/a', { ...given, authorization: 'Bearer other' }, ''],
    ['GET', '/orders/a', { ...given, host: 'evil.example' }, ''],
  ] as const)('sees the excess in %s %s', ([method, target, headers, body]) => {
    expect(excessOf({ method, target, headers, body }, host)).toBeDefined();
  });

  test('sees every row of another tenant', async () => {
    const before = await rowsOf(world.adminUrl, otherTenant);
    expect(JSON.stringify(before)).toContain('The code is 1234.');
    await world.admin.query(sql`update messages set content = content || '!' where tenant_id = ${otherTenant}`);
    expect(await rowsOf(world.adminUrl, otherTenant)).not.toEqual(before);
  });

  test('lets through what the tools are for', async () => {
    const [before, first] = [shop.requests.length, attacks.length];
    for (const tool of Object.keys(givenTools))
      attacks.push({ family: 'control', calls: [{ name: tool, arguments: validArguments[tool] ?? {} }] });
    const session = await conversationWith(attacks.map((_, number) => number).slice(first));
    attacks.length = first;
    expect(shop.requests.slice(before).map(({ method, target }) => `${method} ${target}`)).toEqual([
      'GET /orders/A-1',
      'GET /search?limit=5&text=lamp&page=1',
      'POST /bookings',
    ]);
    expect(asked).toMatchObject([{ arguments: { place: 'Köln' } }]);
    expect(excesses()).toEqual([]);
    await victim.endSession(session);
  });
});

test('a model that emits whatever it likes has no effect but those of the tools it was given', async () => {
  expect(attacks.length).toBeGreaterThanOrEqual(500);
  expect(new Set(attacks.map((attack) => JSON.stringify(attack))).size).toBe(attacks.length);
  const before = await rowsOf(world.adminUrl, otherTenant);
  const shares = Array.from({ length: conversationsAtOnce }, (_, share) =>
    attacks.map((_attack, number) => number).filter((number) => number % conversationsAtOnce === share),
  );
  const sessions = await Promise.all(shares.map(conversationWith));

  expect(excesses()).toEqual([]);
  expect(inside.requests).toEqual([]);
  for (const { arguments: args } of asked as { arguments: Record<string, unknown> }[]) {
    expect(Object.keys(args)).toEqual(['place']);
    expect(typeof args.place).toBe('string');
  }
  expect(await rowsOf(world.adminUrl, otherTenant)).toEqual(before);

  const calls = await storedCalls();
  const given = new Set([...Object.keys(validArguments), 'transfer']);
  expect(calls.filter(({ name }) => !given.has(name))).toEqual([]);
  const turns = calls.map(({ session_id, turn }) => `${session_id} ${turn}`);
  expect(most(turns)).toBeLessThanOrEqual(limits.toolCallsPerTurn);
  expect(
    most(calls.map((call, i) => `${turns[i]} ${call.name} ${JSON.stringify(call.arguments)}`)),
  ).toBeLessThanOrEqual(limits.equalToolCalls);
  // Nothing reaches the endpoint that was not written down before.
  const keys = new Set(shop.requests.map(({ headers }) => headers['idempotency-key']));
  expect(keys.size).toBe(shop.requests.length);
  const ids = new Set((await world.admin.query<{ id: string }>(sql`select id from tool_calls`)).map(({ id }) => id));
  expect([...keys].filter((key) => !ids.has(String(key)))).toEqual([]);

  const rows = await world.admin.query<{ status: string; language: string }>(
    sql`select status, language from sessions where id = any(${sessions})`,
  );
  expect(rows.filter(({ status, language }) => status !== 'running' || !['en', 'de'].includes(language))).toEqual([]);
  for (const marker of ['SHOP-TOKEN-MARKER', 'drop table', 'X-Admin', 'delete_everything'])
    expect(world.output()).not.toContain(marker);
  await Promise.all(sessions.map((session) => victim.endSession(session)));
});

test('calls that a model makes after the conversation has ended do nothing', async () => {
  const before = shop.requests.length + asked.length;
  const marker = `late-${randomUUID()}`;
  const tools = Object.keys(givenTools);
  const first = attacks.length;
  const few = pLimit(conversationsAtOnce);
  for (const [index, tool] of [...tools, ...tools].entries()) {
    const call = { name: tool, arguments: validArguments[tool] ?? {} };
    // Alone, and beside the call that ends the conversation.
    const end = { name: 'end_call', arguments: { reason: marker } };
    attacks.push({ family: 'after the end', calls: index < tools.length ? [call] : [call, end, call] });
  }
  await Promise.all(
    attacks.slice(first).map((_, index) =>
      few(async () => {
        const session = await eventually('a session is created', () => victim.createSession());
        await using person = await Person.join(session);
        await person.hears(/^Welcome/);
        const asking = Promise.withResolvers<void>();
        const ended = Promise.withResolvers<void>();
        const number = first + index;
        holds.set(number, { asking: asking.resolve, until: ended.promise });
        await person.write(`attack ${number}`);
        await asking.promise;
        await victim.endSession(session.sessionId);
        ended.resolve();
        await eventually('the person is sent out', () => person.disconnectedBecause !== undefined);
      }),
    ),
  );
  expect(shop.requests.length + asked.length).toBe(before);
  expect(JSON.stringify(await storedCalls())).not.toContain(marker);
});
