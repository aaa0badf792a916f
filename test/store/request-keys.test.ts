import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertSession } from '../../services/core/channels/new-session.ts';
import { type Query, sql } from '../../services/store/sql.ts';
import { type MigratedDatabase, newSession, startMigratedDatabase } from '../support/databases/migrated-database.ts';

let store: MigratedDatabase;
let terms: Record<string, unknown>;

beforeAll(async () => {
  store = await startMigratedDatabase();
  const { tenant, version } = await store.addTenant('keys');
  terms = {
    tenant,
    version,
    agent: 'desk',
    identity: 'person',
    mode: 'TEXT',
    opened_by: 'session',
    join_timeout_ms: 1_000,
  };
  Object.assign(terms, { retention_ms: 1_000, unjoined_cap: 9, concurrent_cap: 9, warm: false, sessions: [] });
});
afterAll(() => store?.[Symbol.asyncDispose]());

const given = (request: object) => JSON.stringify({ ...terms, ...request });
const session = () => ({ id: randomUUID(), room: randomUUID(), language: 'en', channel: 'api' });

const calls: [name: string, call: (request: object) => Query][] = [
  ['open_sessions', (request) => sql`select * from open_sessions(${given(request)})`],
  ['open_session', (request) => sql`select * from open_session(${given({ sessions: [session()], ...request })})`],
  ['write_reply', (request) => sql`select write_reply(${JSON.stringify({ tenant: terms.tenant, ...request })})`],
  [
    'begin_tool_call',
    (request) => sql`select begin_tool_call(${JSON.stringify({ tenant: terms.tenant, ...request })})`,
  ],
];

test.for(calls)('%s refuses a key that it does not know, as all tests ask of it', async ([name, call]) => {
  const known = name.replace(/session$/, 'sessions');
  await expect(store.db.query(call({ langauge: 'en' }))).rejects.toThrow(`${known} does not know "langauge"`);
  await store.db.query(call({}));
});

test('so does each session of several', async () => {
  const ask = (more: object) =>
    store.db.query(sql`select * from open_sessions(${given({ sessions: [session(), { ...session(), ...more }] })})`);
  await expect(ask({ voiceId: 'x' })).rejects.toThrow('open_sessions does not know "voiceId"');
  expect(await ask({})).toHaveLength(2);
});

test('in production nobody looks', async () => {
  const [client] = await store.db.asTenant(String(terms.tenant), async (tx) => {
    await tx.query(sql`set local parley.check_keys = 'off'`);
    return tx.query(sql`select result from open_sessions(${given({ sessions: [{ ...session(), voiceId: 'x' }] })})`);
  });
  expect(client).toEqual({ result: 'cold' });
});

test('half a surrogate pair in a prompt is stored as what it can be, in whichever way the session is opened', async () => {
  const owner = { tenant: String(terms.tenant), version: String(terms.version) };
  const made = await insertSession(store.db, newSession(owner, { promptOverride: 'Be \ud83d kind.\0' }));
  expect(await store.admin.query(sql`select prompt_override from sessions where id = ${made.session_id}`)).toEqual([
    { prompt_override: 'Be \ufffd kind.' },
  ]);
});
