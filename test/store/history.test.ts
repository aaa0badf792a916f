import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentVariablesIn } from '../../services/agent-files/definition/agent-variables.ts';
import { insertSession, type NewSession } from '../../services/core/channels/new-session.ts';
import { finishSession } from '../../services/core/finish/finish.ts';
import { analytics } from '../../services/core/insight/analytics.ts';
import { csvLines, jsonLines } from '../../services/core/insight/export.ts';
import { type HistoryAsked, sessionHistory } from '../../services/core/insight/session-history.ts';
import { sql } from '../../services/store/sql.ts';
import { insertExportTicket, takeExportTicket } from '../../services/store/tables/export-tickets.ts';
import { forgetExpired } from '../../services/store/tables/sessions.ts';
import { type MigratedDatabase, newSession, startMigratedDatabase } from '../support/databases/migrated-database.ts';
import { end, join, type Said, say } from '../support/databases/stored-conversation.ts';

let store: MigratedDatabase;
let owner: { tenant: string; version: string };
let ids: Record<'booked' | 'failed' | 'spoken' | 'tried' | 'live', string>;

const silent = {
  notifier: { tell: () => undefined },
  rooms: { close: async () => undefined, participants: async () => [] },
};

beforeAll(async () => {
  store = await startMigratedDatabase();
  owner = await store.addTenant('acme');
  ids = {
    booked: await held({ lines: [['USER', 'I want a table, please']] }),
    failed: await held({ lines: [['USER', 'a table for two']], toolCalls: [{ name: 'book', status: 'failed' }] }),
    spoken: await held({ lines: [['USER', 'Grüße aus Köln']] }, { mode: 'VOICE', channel: 'widget' }),
    tried: await held({ lines: [['USER', 'a table, to try']] }, { test: { webhook: false } }),
    live: (await insertSession(store.db, newSession(owner))).session_id,
  };
});

afterAll(async () => {
  await store?.[Symbol.asyncDispose]();
});

/** A conversation of a minute, over and finished. */
async function held(said: Said, fields: Partial<NewSession> = {}, of = owner): Promise<string> {
  const { tenant } = of;
  const created = await insertSession(store.db, newSession(of, fields));
  const session = { id: created.session_id, room: created.room_name };
  const where = { db: store.db, tenant };
  await join(where, session, new Date(Date.now() - 60_000));
  await say(where, session, said);
  await end(where, session, 'client_ended');
  const clock = { now: () => new Date() };
  await finishSession(
    { db: store.db, ...silent, clock, forAgents: agentVariablesIn({}), vault: { open: () => '' } },
    { tenant, session: session.id },
  );
  return session.id;
}

const list = async (asked: Partial<HistoryAsked>): Promise<string[]> => {
  const { items } = await sessionHistory(store.db, owner.tenant, { limit: 50, ...asked });
  return items.map(({ id }) => names().find(([, known]) => known === id)?.[0] ?? id);
};
const names = () => Object.entries(ids);

test.each<[Partial<HistoryAsked>, string[]]>([
  [{}, ['live', 'tried', 'spoken', 'failed', 'booked']],
  [{ toolFailed: true }, ['failed']],
  [{ mode: 'VOICE' }, ['spoken']],
  [{ channel: 'widget', mode: 'TEXT' }, []],
  [{ status: 'created' }, ['live']],
  [{ test: true }, ['tried']],
  [{ endReason: 'client_ended', test: false }, ['spoken', 'failed', 'booked']],
  [{ commit: 'abcdef0' }, []],
  [{ words: 'table' }, ['tried', 'failed', 'booked']],
  [{ words: 'TABLE please' }, ['booked']],
  [{ words: 'grüße köl' }, ['spoken']],
  [{ words: 'table', toolFailed: true }, ['failed']],
  [{ words: '&|!:*' }, []],
  [{ words: 'tabl two' }, []],
])('%o lists %o', async (asked, expected) => {
  expect(await list(asked)).toEqual(expected);
});

test('a version is named by the beginning of its hash', async () => {
  expect(await list({ version: owner.version.slice(0, 12), toolFailed: true })).toEqual(['failed']);
});

test('a search goes on page by page, each conversation once', async () => {
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await sessionHistory(store.db, owner.tenant, { words: 'table', limit: 1, cursor });
    seen.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  expect(seen).toEqual([ids.tried, ids.failed, ids.booked]);
});

test('a word that one of many conversations has is found behind all that do not have it', async () => {
  const { tenant, version } = await store.addTenant('many');
  await store.admin.query(sql`
    with held as (
      insert into sessions (id, tenant_id, agent, version_hash, room_name, participant_identity, status, end_reason, interaction_mode, language,
        channel, opened_by, created_at, ended_at, deadline_at, turns)
      select 's_' || lpad(n::text, 22, '0'), ${tenant}, 'desk', ${version}, 'many_' || n, 'person', 'ended', 'client_ended', 'TEXT', 'en', 'api', 'session',
        at, at, at, 1 from generate_series(1, 10050) n, lateral (select clock_timestamp() - n * interval '1 second' as at) t
      returning id, tenant_id, created_at)
    insert into session_words (session_id, tenant_id, at, words)
    select id, tenant_id, created_at, to_tsvector('simple', case when id like '%10047' or id like '%00003' then 'heliotrope' else 'hello' end) from held`);
  const found = async (words: string, limit: number) =>
    (await sessionHistory(store.db, tenant, { words, limit })).items.map(({ id }) => id.replace(/^s_0*/, ''));
  expect(await found('heliotr', 50)).toEqual(['3', '10047']);
  expect(await found('hello', 4)).toEqual(['1', '2', '4', '5']);
  expect(await found('nobody', 4)).toEqual([]);
});

test('who tries an agent is not billed, and is in no analytics', async () => {
  const { items } = await sessionHistory(store.db, owner.tenant, { test: true, limit: 1 });
  expect(items).toMatchObject([{ test: true, billedSeconds: 0, status: 'ended' }]);
  expect(items[0]?.durationSeconds).toBeGreaterThan(50);
  const usage = await store.admin.query(
    sql`select sum(sessions)::integer as sessions from agent_usage where tenant_id = ${owner.tenant}`,
  );
  expect(usage).toEqual([{ sessions: 3 }]);
  const days = { from: new Date(Date.now() - 86_400_000), to: new Date(), bucket: 'day' as const };
  const { totals } = await analytics(store.db, owner.tenant, { ...days, filters: {}, compare: [] });
  expect(totals.conversations).toBe(3);
});

test('who tries an agent tells the webhook only where that was asked for', async () => {
  const told = await store.addTenant('told');
  await store.admin.query(sql`update tenants set features = '{"webhook": true}' where id = ${told.tenant}`);
  await store.admin.query(sql`
    update agents set settings = settings || '{"webhook": {"url": "https://example.com/hook"}}' where tenant_id = ${told.tenant}`);
  const said: Said = { lines: [['USER', 'hello']] };
  await held(said, { test: { webhook: false } }, told);
  const expected = [await held(said, { test: { webhook: true } }, told), await held(said, {}, told)];
  const rows = await store.admin.query<{ session_id: string }>(
    sql`select session_id from deliveries where tenant_id = ${told.tenant}`,
  );
  expect(rows.map(({ session_id }) => session_id).toSorted()).toEqual(expected.toSorted());
});

async function textOf(parts: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const part of parts) text += part;
  return text;
}

test('an export has a line for each conversation, and its texts in JSON Lines', async () => {
  const csv = await textOf(csvLines(store.db, owner.tenant, { test: false }));
  expect(csv.trimEnd().split('\r\n')).toHaveLength(1 + 4);
  const lines = await textOf(jsonLines(store.db, owner.tenant, { words: 'two' }, { toolArguments: false }));
  expect(
    lines
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { id: ids.failed, messages: [{ content: 'a table for two' }], toolCalls: [{ name: 'book', status: 'failed' }] },
  ]);
  expect(lines).not.toContain('"arguments"');
});

test('a ticket is good once, for its format and its tenant, and a minute at most', async () => {
  const { tenant } = owner;
  const stranger = await store.addTenant('stranger');
  const put = (hash: Buffer, seconds: number) =>
    store.db.asTenant(tenant, (tx) =>
      insertExportTicket(tx, tenant, { ...ticket, hash, seconds, format: 'csv', filters: { test: false } }),
    );
  const ticket = { person_id: tenant, sign_in_id: tenant };
  const take = (hash: Buffer, of = tenant, format: 'csv' | 'jsonl' = 'csv') =>
    store.db.asTenant(of, (tx) => takeExportTicket(tx, hash, format));
  const [good, stale] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  await put(good, 60);
  await put(stale, -1);
  expect([await take(good, stranger.tenant), await take(good, tenant, 'jsonl')]).toEqual([undefined, undefined]);
  const taken = await Promise.all([take(good), take(good)]);
  expect(taken.filter((one) => one !== undefined)).toMatchObject([{ filters: { test: false } }]);
  expect(await take(stale)).toBeUndefined();
});

test('words are forgotten after 90 days, and figures by the hour after 35', async () => {
  await store.admin.query(sql`update session_words set at = at - interval '91 days' where session_id = ${ids.booked}`);
  await store.admin.query(sql`update rollups set at = at - interval '36 days'`);
  await forgetExpired(store.db);
  expect(await list({ words: 'please' })).toEqual([]);
  const grains = await store.admin.query(sql`select distinct grain from rollups`);
  expect(grains).toEqual([{ grain: 'day' }]);
});

test('a tool call of which nobody knows what came is found with those that failed', async () => {
  const other = await store.addTenant('bistro');
  const call = (status: 'ok' | 'unknown') =>
    ({ lines: [['USER', 'a table']], toolCalls: [{ name: 'book', status }] }) satisfies Said;
  const doubtful = await held(call('unknown'), {}, other);
  await held(call('ok'), {}, other);
  const { items } = await sessionHistory(store.db, other.tenant, { limit: 50, toolFailed: true });
  expect(items.map(({ id }) => id)).toEqual([doubtful]);
});
