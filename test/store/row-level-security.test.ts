import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { insertSession } from '../../services/core/channels/new-session.ts';
import type { Query, Queryable } from '../../services/store/sql.ts';
import { sql } from '../../services/store/sql.ts';
import { addPersonText, addReply } from '../../services/store/tables/messages.ts';
import { findByWords } from '../../services/store/tables/session-words.ts';
import { listLiveSessions } from '../../services/store/tables/sessions.ts';
import { finishToolCall, startToolCall } from '../../services/store/tables/tool-calls.ts';
import { type MigratedDatabase, newSession, startMigratedDatabase } from '../support/databases/migrated-database.ts';
import { openPeople } from '../support/people/account.ts';

/** Not a tenant's: hosts, their rooms and what jobs run in belong to the installation, migrations and functions to the schema. */
const ofTheInstallation = [
  'functions',
  'host_kinds',
  'hosts',
  'job_pools',
  'leads',
  'migrations',
  'running_processes',
  'spoken_refusals',
  'timelines',
  'warm_rooms',
];

/** Functions that look across tenants, with what they give back: ids, states and numbers, never what anybody said. */
const acrossTenants: Record<string, string[]> = {
  acknowledge_assigned: ['epoch', 'room_name', 'session_id', 'tenant_id'],
  assign_warm_rooms: ['epoch', 'room_name', 'session_id', 'tenant_id'],
  claim_sessions: ['epoch', 'session_id', 'tenant_id'],
  count_sessions: ['live', 'refused', 'refused_spoken', 'spoken', 'waiting'],
  fleet_share: ['of_agent', 'of_tenant'],
  forget_expired: [],
  host_work: ['assigned', 'unclaimed'],
  invites_first_owner: [],
  keep_an_owner: [],
  live_rooms: ['agents', 'last_seen_at', 'least_seen_at', 'persons', 'room_name', 'session_id', 'status', 'tenant_id'],
  locate_agents: ['agent', 'tenant_id'],
  locate_call: ['call_id', 'tenant_id'],
  locate_deletable: ['session_id', 'tenant_id'],
  locate_due: ['session_id', 'tenant_id'],
  locate_invitation: ['invitation_id', 'tenant_id'],
  locate_invitations: ['invitation_id', 'tenant_id'],
  locate_erased: ['session_id', 'tenant_id'],
  locate_key: ['agent', 'tenant_id'],
  locate_live_rooms: ['agents', 'last_seen_at', 'persons', 'room_name', 'session_id', 'status', 'tenant_id'],
  locate_number: [],
  locate_open_calls: ['call_id', 'tenant_id'],
  locate_over_caps: ['is_new', 'session_id', 'tenant_id'],
  locate_overdue_deliveries: ['agent', 'tenant_id'],
  locate_owned: ['epoch', 'last_sequence', 'session_id', 'tenant_id'],
  locate_room: ['session_id', 'tenant_id'],
  locate_session: [],
  locate_stray_rooms: [],
  locate_tenant: [],
  locate_trunks: ['tenant_id'],
  mark_sessions_seen: [],
  my_tenants: ['name', 'role', 'slug', 'tenant_id'],
  release_host: [],
  retire_host: [],
  sessions_with_words: ['at', 'session_id'],
  settled_ms: [],
  voice_room: [],
};

let store: MigratedDatabase;
let mine: { tenant: string; version: string };
let theirs: { tenant: string; version: string };
let session: string;
let toolCall: string;
let tables: string[];

beforeAll(async () => {
  store = await startMigratedDatabase();
  [mine, theirs] = [await store.addTenant('mine'), await store.addTenant('theirs')];
  ({ session, toolCall } = await fill(mine));
  const rows = await store.admin.query<{ name: string }>(
    sql`select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by relname`,
  );
  tables = rows.map(({ name }) => name).filter((name) => !ofTheInstallation.includes(name));
});

afterAll(async () => {
  await store?.[Symbol.asyncDispose]();
});

/** A row of this tenant in every table. */
async function fill(owner: { tenant: string; version: string }) {
  const { tenant } = owner;
  const { session_id: id } = await insertSession(
    store.db,
    newSession(owner, {
      visitor: { id: randomBytes(32), kind: 'visitor' },
      idempotency: { scopeHash: randomBytes(32), bodyHash: randomBytes(32) },
      signature: randomBytes(32),
    }),
  );
  await addPersonText(store.db, { tenant, session: id, key: 'k', content: 'secret', at: new Date(), mode: 'TEXT' });
  const call = randomUUID();
  const started = { tenant, session: id, epoch: 0, turn: 1, ordinal: 1, id: call, name: 'book', arguments: {} };
  expect(await startToolCall(store.db, started)).not.toBeNull();
  const delivery = randomUUID();
  const trunk = randomUUID();
  const values: Query[] = [
    sql`insert into presence values (${tenant}, ${id}, 'PA_1', 'person', 'person', now(), 'host', null, null, now())`,
    sql`insert into session_events (tenant_id, session_id, at, kind, source) values (${tenant}, ${id}, now(), 'joined', 'host')`,
    sql`insert into agent_usage (tenant_id, agent, day) values (${tenant}, 'desk', now()::date) on conflict do nothing`,
    sql`insert into deliveries (id, tenant_id, agent, session_id, event, url, body)
      values (${delivery}, ${tenant}, 'desk', ${id}, 'conversation.test', 'https://example.com', '{}')`,
    sql`insert into agent_revisions (tenant_id, source, state) values (${tenant}, 'folder', 'active')`,
    sql`insert into scenario_passes (tenant_id, agent, version_hash, scenario_hash, model)
      values (${tenant}, 'desk', 'v', 's', 'scripted')`,
    sql`insert into invitations (tenant_id, email, role, token_hash, sealed, expires_at)
      values (${tenant}, 'owner@example.com', 'owner', ${randomBytes(32)}, 'sealed', now())`,
    sql`insert into delivery_attempts (delivery_id, tenant_id, attempt, duration_ms) values (${delivery}, ${tenant}, 1, 5)`,
    sql`insert into erasures (tenant_id, session_id, agent, erased_by, erased_rows) values (${tenant}, 's_gone', 'desk', 'operator', '{}')`,
    sql`insert into account_requests values (${tenant}, ${randomBytes(32)}, ${randomBytes(32)})`,
    sql`insert into agent_sources (tenant_id, source, writing) values (${tenant}, 'folder', 'file')`,
    sql`insert into unreadable_sources (tenant_id, source, reason) values (${tenant}, 'folder', 'gone')`,
    sql`insert into agent_files values (${tenant}, 'desk', 'f', 'Be kind.', null)`,
    sql`insert into agent_changes (id, tenant_id, agent, person_id, author, kind, wanted, message, edited_file_id, is_direct)
      values (${randomUUID()}, ${tenant}, 'desk', ${randomUUID()}, 'Ada', 'prompt', '{}', 'Kinder', 'f', false)`,
    sql`insert into agent_scenarios (tenant_id, agent, scenario_hash, scenarios) values (${tenant}, 'desk', 's', '[]')`,
    sql`insert into scenario_results (tenant_id, agent, name, version_hash, model, outcome, runs, passes)
      values (${tenant}, 'desk', 'It greets', 'v', 'scripted', 'passed', 1, 1)`,
    sql`insert into audit (tenant_id, action, target) values (${tenant}, 'member.removed', 'somebody')`,
    sql`insert into rollups (tenant_id, subject, grain, level, at, figures) values (${tenant}, 'conversation', 'day', 'all', now(), '{1}')`,
    sql`insert into session_words (session_id, tenant_id, at, words) values (${id}, ${tenant}, now(), to_tsvector('simple', 'secret'))`,
    sql`insert into export_tickets (hash, tenant_id, person_id, sign_in_id, format, filters, expires_at)
      values (${randomBytes(32)}, ${tenant}, ${call}, ${call}, 'csv', '{}', now())`,
    sql`insert into unused_answers (tenant_id, answer_hash, expires_at) values (${tenant}, ${randomBytes(32)}, now())`,
    sql`insert into trunks (tenant_id, id, name, address, transport, allowed_addresses, managed_by)
      values (${tenant}, ${trunk}, 'carrier', 'sip.example.com', 'tls', '{203.0.113.7}', 'person')`,
    sql`insert into numbers (tenant_id, number, trunk_id, managed_by) values (${tenant}, '+4930123456', ${trunk}, 'person')`,
    sql`insert into calls (tenant_id, id, direction, number, agent, from_sealed, to_sealed, other_hash, state, room_name, delete_after)
      values (${tenant}, 'c_1', 'inbound', '+4930123456', 'desk', 'sealed', 'sealed', ${randomBytes(32)}, 'ringing', 'r_call', now())`,
    sql`insert into opt_outs (tenant_id, number_hash, sealed, why) values (${tenant}, ${randomBytes(32)}, 'sealed', 'asked')`,
  ];
  for (const value of values) await store.admin.query(value);
  return { session: id, toolCall: call };
}

const text = (statement: string): Query => ({ text: statement, values: [] });
const count = async (q: Queryable, table: string) =>
  (await q.query<{ n: number }>(text(`select count(*)::integer as n from ${table}`)))[0]?.n;
/** Rows come and stay: their rights alone keep everybody from changing one, the own tenant's services too. */
const appendOnly = ['audit'];
const asTheirs = <Result>(work: (tx: Queryable) => Promise<Result>) => store.db.asTenant(theirs.tenant, work);
const ownerOf = (table: string) => (table === 'tenants' ? 'id' : 'tenant_id');

describe('every table', () => {
  test('has row-level security, forced, and a row here that could be seen', async () => {
    const rows = await store.admin.query<{ name: string; on: boolean; forced: boolean }>(
      sql`select relname as name, relrowsecurity as on, relforcerowsecurity as forced from pg_class where relname = any (${tables})`,
    );
    expect(rows.filter(({ on, forced }) => !on || !forced)).toEqual([]);
    const empty = [];
    for (const table of tables) {
      const own = await store.db.asTenant(mine.tenant, (tx) => count(tx, table));
      if (!own) empty.push(table);
    }
    expect(empty, 'tables that this test does not fill').toEqual([]);
  });

  test('shows and gives nothing to SQL that names no tenant', async () => {
    for (const table of tables) expect([table, await count(store.db, table)]).toEqual([table, 0]);
  });

  test("shows nothing of one tenant's to another, and lets it change or delete nothing", async () => {
    for (const table of tables) {
      const owner = ownerOf(table);
      const of = `from ${table} where ${owner} = '${mine.tenant}'`;
      const found = await asTheirs((tx) => tx.query(text(`select 1 ${of}`)));
      expect([table, found.length]).toEqual([table, 0]);
      if (appendOnly.includes(table)) continue;
      const changed = await asTheirs((tx) =>
        tx.query(text(`update ${table} set ${owner} = ${owner} where ${owner} = '${mine.tenant}' returning 1`)),
      );
      expect([table, changed.length]).toEqual([table, 0]);
      if (table === 'tenants') continue;
      const deleted = await asTheirs((tx) => tx.query(text(`delete ${of} returning 1`)));
      expect([table, deleted.length]).toEqual([table, 0]);
    }
  });

  test('that only grows lets nobody change or delete a row, their own included', async () => {
    const people = openPeople(store.serviceUrl);
    onTestFinished(() => people.close());
    for (const table of appendOnly)
      for (const q of [store.db, people])
        for (const statement of [`update ${table} set action = action`, `delete from ${table}`, `truncate ${table}`])
          await expect(q.asTenant(mine.tenant, (tx) => tx.query(text(statement)))).rejects.toThrow(/permission denied/);
  });

  test('refuses a row that one tenant would write for another, or give away', async () => {
    const stolen = sql`insert into session_events (tenant_id, session_id, at, kind, source)
      values (${mine.tenant}, ${session}, now(), 'joined', 'host')`;
    await expect(asTheirs((tx) => tx.query(stolen))).rejects.toThrow(/row-level security/);
    await expect(store.db.query(stolen)).rejects.toThrow(/row-level security/);
    const given = sql`update sessions set tenant_id = ${theirs.tenant} where id = ${session}`;
    await expect(store.db.asTenant(mine.tenant, (tx) => tx.query(given))).rejects.toThrow(/row-level security/);
  });

  test('lets a tenant neither be made, removed nor read whole by the services', async () => {
    await expect(store.db.query(sql`insert into tenants (slug, name) values ('x', 'x')`)).rejects.toThrow(/permission/);
    await expect(asTheirs((tx) => tx.query(sql`delete from tenants`))).rejects.toThrow(/permission/);
    expect(await asTheirs((tx) => tx.query(sql`select slug from tenants`))).toEqual([{ slug: 'theirs' }]);
  });
});

describe('every function', () => {
  test('that looks across tenants is known here, and gives back ids and numbers only', async () => {
    const rows = await store.admin.query<{ name: string; outs: string[] }>(sql`
      select proname as name, coalesce(array(
          select a.name from unnest(proargnames, proargmodes) as a (name, mode) where a.mode in ('o', 't') order by 1), '{}') as outs
      from pg_proc where pronamespace = 'public'::regnamespace and prosecdef order by 1`);
    expect(Object.fromEntries(rows.map(({ name, outs }) => [name, outs]))).toEqual(acrossTenants);
  });

  test('finds the things of the schema, before anything that its caller has put into pg_temp', async () => {
    const rows = await store.admin.query<{ name: string; path: string[] | null }>(
      sql`select proname as name, proconfig as path from pg_proc where pronamespace = 'public'::regnamespace`,
    );
    expect(rows.filter(({ path }) => path?.[0] !== 'search_path=pg_catalog, public, pg_temp')).toEqual([]);
  });

  test('can be called by nobody but the services', async () => {
    const rows = await store.admin.query(sql`
      select proname from pg_proc where pronamespace = 'public'::regnamespace
        and exists (select 1 from aclexplode(coalesce(proacl, acldefault('f', proowner))) where grantee = 0)`);
    expect(rows).toEqual([]);
  });

  test("writes nothing into another tenant's conversation", async () => {
    const { tenant } = theirs;
    const before = await transcript();
    const at = new Date();
    expect(
      await addPersonText(store.db, { tenant, session, key: 'theirs', content: 'forged', at, mode: 'TEXT' }),
    ).toBeUndefined();
    const reply = { turn: 1, content: 'forged', interrupted: false, closesTurn: true, tokens: 1, key: 'theirs' };
    expect(await addReply(store.db, { tenant, session, epoch: 0, at, mode: 'TEXT', ...reply })).toBeNull();
    const call = { epoch: 0, turn: 1, ordinal: 2, id: randomUUID(), name: 'book', arguments: {} };
    expect(await startToolCall(store.db, { tenant, session, ...call })).toBeNull();
    expect(await finishToolCall(store.db, { tenant, id: toolCall, status: 'ok', result: 'forged' })).toBe(false);
    expect(await transcript()).toEqual(before);
  });

  test('finds words in conversations of the tenant that is named, and of nobody where none is', async () => {
    const found = (q: Queryable) =>
      findByWords(q, { words: 'secret', from: '-infinity', before: { position: 'infinity', id: '' }, limit: 10 });
    expect(await store.db.asTenant(mine.tenant, found)).toMatchObject([{ session_id: session }]);
    expect([await asTheirs(found), await found(store.db)]).toEqual([[], []]);
  });

  test("makes no session of another tenant's agent, and leaves no tenant named behind", async () => {
    await expect(
      insertSession(store.db, newSession({ tenant: theirs.tenant, version: mine.version }, { agent: 'not-theirs' })),
    ).rejects.toThrow(/foreign key/);
    await insertSession(store.db, newSession(theirs));
    expect(await listLiveSessions(store.db, 10)).toEqual([]);
  });

  const transcript = () =>
    store.admin.query(sql`
      select m.content, m.answered_at, t.status, t.result, s.last_sequence, s.tokens from sessions s
      join messages m on m.session_id = s.id left join tool_calls t on t.session_id = s.id where s.id = ${session}`);
});
