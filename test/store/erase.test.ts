import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertSession } from '../../services/core/channels/new-session.ts';
import { eraseSession } from '../../services/core/sessions/erase.ts';
import { sql } from '../../services/store/sql.ts';
import { changeCall, insertCall, type NewCall } from '../../services/store/tables/calls.ts';
import { insertAttempt, insertDelivery } from '../../services/store/tables/deliveries.ts';
import { addPersonText, addReply } from '../../services/store/tables/messages.ts';
import { storeWords } from '../../services/store/tables/session-words.ts';
import { deleteSession } from '../../services/store/tables/sessions.ts';
import { type MigratedDatabase, newSession, startMigratedDatabase } from '../support/databases/migrated-database.ts';
import { end, join, say } from '../support/databases/stored-conversation.ts';

let store: MigratedDatabase;
let owner: { tenant: string; version: string };

beforeAll(async () => {
  store = await startMigratedDatabase();
  owner = await store.addTenant('acme');
});

afterAll(async () => {
  await store?.[Symbol.asyncDispose]();
});

const erase = (session: string, tenant = owner.tenant) =>
  eraseSession(
    { db: store.db, notifier: { tell: () => undefined }, rooms: { close: async () => undefined } },
    { tenant, session, by: 'operator', reason: 'operator_ended' },
  );

/** A conversation with a row in every table that can have one of it. */
async function converse(): Promise<{ id: string; room: string; delivery: string }> {
  const { tenant } = owner;
  const idempotency = { scopeHash: randomBytes(32), bodyHash: randomBytes(32) };
  const created = await insertSession(store.db, newSession(owner, { idempotency }));
  const session = { id: created.session_id, room: created.room_name };
  const where = { db: store.db, tenant };
  await join(where, session, new Date());
  await say(where, session, { lines: [['USER', 'hello']], toolCalls: [{ name: 'book', status: 'ok' }] });
  await store.db.asTenant(tenant, (tx) => storeWords(tx, session.id));
  await call(session);
  return { ...session, delivery: await owe(session.id) };
}

/** The telephone call that it was held on. */
async function call({ id: session, room }: { id: string; room: string }): Promise<void> {
  const { tenant } = owner;
  const id = `c_${randomUUID()}`;
  const made: NewCall = {
    id,
    direction: 'inbound',
    state: 'ringing',
    number: '+4930123456',
    agent: 'desk',
    from_sealed: 'sealed',
    to_sealed: 'sealed',
    other_hash: randomBytes(32),
    sip_call_id: `SCL_${id}`,
    room_name: room,
    variables: {},
    ...{ trunk_id: null, language: null, consent: null, prefix: null, max_seconds: null },
    retentionMs: 1_000,
  };
  await store.db.asTenant(tenant, async (tx) => {
    await insertCall(tx, tenant, made);
    await changeCall(tx, id, { state: 'answered', sessionId: session, answeredAt: new Date() });
  });
}

/** The webhook of it, attempted once. */
async function owe(session: string): Promise<string> {
  const { tenant } = owner;
  const id = randomUUID();
  const body = JSON.stringify({ type: 'conversation.finished', data: { sessionId: session } });
  await store.db.asTenant(tenant, async (tx) => {
    const delivery = { id, agent: 'desk', session_id: session, event: 'conversation.finished' as const };
    await insertDelivery(tx, tenant, { ...delivery, url: 'https://example.com', body });
    const attempt = { delivery_id: id, attempt: 1, duration_ms: 5, status_code: 500, error: null };
    await insertAttempt(tx, tenant, { ...attempt, response_excerpt: null, request_headers: null });
  });
  return id;
}

/** Tables, jobs' included, in which a row has one of these texts in any column. */
async function tablesWith(...texts: string[]): Promise<string[]> {
  const tables = await store.admin.query<{ name: string }>(sql`
    select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('public', 'graphile_worker') and c.relkind in ('r', 'p') order by 1`);
  const found: string[] = [];
  for (const { name } of tables) {
    const text = `select 1 from ${name} t where exists (select from unnest($1::text[]) p where strpos(t::text, p) > 0) limit 1`;
    if ((await store.admin.query({ text, values: [texts] })).length > 0) found.push(name);
  }
  return found;
}

/** By the catalogue: those with a column for a session, and those that refer to one that has. */
async function tablesOfSessions(): Promise<string[]> {
  const rows = await store.admin.query<{ name: string }>(sql`
    with recursive of_sessions (oid) as (
      select attrelid from pg_attribute a join pg_class c on c.oid = attrelid
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and attnum > 0 and atttypid = 'text'::regtype
        and (attname ~ 'session' or c.oid = 'sessions'::regclass)
      union
      select conrelid from pg_constraint join of_sessions o on o.oid = confrelid where contype = 'f'
    )
    select distinct format('public.%I', oid::regclass::text) as name from of_sessions order by 1`);
  return rows.map(({ name }) => name);
}

test('everything of a conversation goes, deliveries and jobs included, and a record stays of what went and when', async () => {
  const { id, room, delivery } = await converse();
  const before = await tablesWith(id, room, delivery);
  const known = (await tablesOfSessions()).filter((name) => name !== 'public.erasures');
  expect(
    known.filter((name) => !before.includes(name)),
    'tables of sessions that this test does not fill',
  ).toEqual([]);
  const [{ before: startedAt } = { before: new Date(0) }] = await store.admin.query<{ before: Date }>(
    sql`select clock_timestamp() as before`,
  );
  const record = await erase(id);
  expect(await tablesWith(id, room, delivery), 'tables that erasing does not cover').toEqual(['public.erasures']);
  expect(record).toMatchObject({ session_id: id, agent: 'desk', erased_by: 'operator' });
  expect(record?.erased_at.getTime()).toBeGreaterThanOrEqual(startedAt.getTime());
  expect(record?.erased_rows).toEqual({
    ...{ sessions: 1, messages: 1, tool_calls: 1, presence: 2, idempotency_keys: 1, session_words: 1, calls: 1 },
    ...{ deliveries: 1, delivery_attempts: 1, jobs: 1, session_events: expect.any(Number) },
  });
});

test('it stays gone: what a host hands in afterwards is not taken, and the minutes stay in the ledger', async () => {
  const { id } = await converse();
  const [before] = await store.admin.query<{ sessions: number }>(
    sql`select sum(sessions)::integer as sessions from agent_usage`,
  );
  await erase(id);
  const common = { tenant: owner.tenant, session: id, at: new Date(), mode: 'TEXT' as const };
  expect(await addPersonText(store.db, { ...common, key: 'late', content: 'late' })).toBeUndefined();
  const reply = { turn: 1, content: 'late', interrupted: false, closesTurn: true, tokens: 1, key: 'late reply' };
  expect(await addReply(store.db, { ...common, epoch: 0, ...reply })).toBeNull();
  expect(await tablesWith(id)).toEqual(['public.erasures']);
  const after = await store.admin.query(sql`select sum(sessions)::integer as sessions from agent_usage`);
  expect(after).toEqual([{ sessions: (before?.sessions ?? 0) + 1 }]);
});

test('a delivery that has outlived its session goes, too', async () => {
  const { id, room, delivery } = await converse();
  await end({ db: store.db, tenant: owner.tenant }, { id, room }, 'client_ended');
  await store.db.asTenant(owner.tenant, (tx) => deleteSession(tx, id));
  expect(await tablesWith(delivery)).toContain('public.deliveries');
  expect(await erase(id)).toMatchObject({ agent: 'desk', erased_rows: { sessions: 0, deliveries: 1 } });
  expect(await tablesWith(id, room, delivery)).toEqual(['public.erasures']);
});

test('asking again answers with the same record; what is not there, or not this tenant’s, is not erased', async () => {
  const { id } = await converse();
  const stranger = await store.addTenant('stranger');
  expect(await erase(id, stranger.tenant)).toBeUndefined();
  expect(await tablesWith(id)).toContain('public.messages');
  const record = await erase(id);
  expect(await erase(id)).toEqual(record);
  expect(await erase('s_nothing')).toBeUndefined();
});
