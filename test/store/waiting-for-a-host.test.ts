import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { insertSession, type NewSession } from '../../services/core/channels/new-session.ts';
import { sql } from '../../services/store/sql.ts';
import { assignWarmRooms, claimSessions } from '../../services/store/tables/hosts.ts';
import { awaitHost } from '../../services/store/tables/sessions.ts';
import { countSpokenRefusal, sessionTotals } from '../../services/store/tables/totals.ts';
import { startFakeHost } from '../support/databases/fake-host.ts';
import { type MigratedDatabase, newSession, startMigratedDatabase } from '../support/databases/migrated-database.ts';
import { eventually } from '../support/eventually.ts';

let store: MigratedDatabase;
let owner: { tenant: string; version: string };
let tenants = 0;

beforeAll(async () => {
  store = await startMigratedDatabase({ connections: 24 });
});

afterAll(async () => {
  await store?.[Symbol.asyncDispose]();
});

beforeEach(async () => {
  tenants += 1;
  owner = await store.addTenant(`tenant-${tenants}`);
});

afterEach(async () => {
  await store.admin.query(
    sql`update sessions set status = 'ended', end_reason = 'client_ended', ended_at = now() where status <> 'ended'`,
  );
});

const create = (fields: Partial<NewSession> = {}) => insertSession(store.db, newSession(owner, fields));
const wait = (session: string, most = 100) => awaitHost(store.db, { tenant: owner.tenant, session, seconds: 60, most });
/** By the database's clock, which the refusals are counted by. */
const secondNow = async () =>
  Number(
    (await store.admin.query<{ at: string }>(sql`select floor(extract(epoch from clock_timestamp())) as at`))[0]?.at,
  );
const idempotency = { scopeHash: Buffer.alloc(32, 1), bodyHash: Buffer.alloc(32, 2) };

describe('of the sessions that found no agent', () => {
  test('as many may wait as are allowed to, however many ask at once', async () => {
    const sessions = await Promise.all(Array.from({ length: 12 }, () => create()));
    const due = await Promise.all(sessions.map(({ session_id }) => wait(session_id, 5)));
    expect(due.filter((at) => at !== null)).toHaveLength(5);
  });

  test("other tenants' do not count", async () => {
    await wait((await create()).session_id);
    owner = await store.addTenant(`tenant-${tenants}-other`);
    expect(await wait((await create()).session_id, 1)).toBeInstanceOf(Date);
  });

  test('none waits whose agent has come, or that is over', async () => {
    const { session_id } = await create();
    await store.admin.query(sql`update sessions set agent_ready_at = now() where id = ${session_id}`);
    expect(await wait(session_id)).toBeNull();
    const ended = await create();
    await store.admin.query(
      sql`update sessions set status = 'ended', end_reason = 'client_ended', ended_at = now() where id = ${ended.session_id}`,
    );
    expect(await wait(ended.session_id)).toBeNull();
  });
});

describe('a session that waits', () => {
  test('keeps the room that its caller was told of, and is claimed by a host with warm rooms', async () => {
    const { session_id } = await create();
    await wait(session_id);
    await using host = await startFakeHost(store.serviceUrl, { warmRooms: 2 });
    expect(await assignWarmRooms(store.db, host.id)).toEqual([]);
    const claim = { fresh: 4, total: 8, hasWarmRooms: true };
    expect(await claimSessions(store.db, host.id, claim)).toMatchObject([{ session_id, epoch: 1 }]);
  });

  test('to be spoken is claimed by a host that has room for it, and by no other', async () => {
    const { session_id } = await create({ mode: 'VOICE' });
    await wait(session_id);
    const claim = { fresh: 4, total: 8, hasWarmRooms: true };
    await using silent = await startFakeHost(store.serviceUrl);
    expect(await claimSessions(store.db, silent.id, claim)).toEqual([]);
    await using speaking = await startFakeHost(store.serviceUrl, { voiceCapacity: 1 });
    expect(await claimSessions(store.db, speaking.id, claim)).toMatchObject([{ session_id }]);
  });

  test('answers a repetition of its request', async () => {
    const first = await create({ idempotency });
    expect((await create({ idempotency })).result).toBe('idempotency_key_in_progress');
    await wait(first.session_id);
    expect(await create({ idempotency })).toEqual({ ...first, result: 'replayed' });
  });
});

describe('the figures for autoscaling', () => {
  test('count spoken sessions that were refused without a row, for a minute', async () => {
    await Promise.all(Array.from({ length: 20 }, () => countSpokenRefusal(store.db)));
    expect(await sessionTotals(store.db)).toMatchObject({ refused: 20, refused_spoken: 20, spoken: 0 });
    await store.admin.query(sql`update spoken_refusals set second = second - interval '61 seconds'`);
    expect(await sessionTotals(store.db)).toMatchObject({ refused: 0, refused_spoken: 0 });
  });

  test('lose none at the turn of a second', async () => {
    const before = (await sessionTotals(store.db)).refused;
    const began = await secondNow();
    let counted = 0;
    await eventually('a second has turned twice', async () => {
      await countSpokenRefusal(store.db);
      counted += 1;
      return (await secondNow()) >= began + 2;
    });
    expect((await sessionTotals(store.db)).refused).toBe(before + counted);
  });

  test('begin anew in a second whose place was taken by one of before', async () => {
    await countSpokenRefusal(store.db);
    await store.admin.query(sql`update spoken_refusals set sessions = 1000, second = second - interval '64 seconds'`);
    await store.admin.query(sql`insert into spoken_refusals select n, now() - interval '64 seconds', 1000 from generate_series(0, 63) n
      on conflict (slot) do nothing`);
    await countSpokenRefusal(store.db);
    expect(await sessionTotals(store.db)).toMatchObject({ refused_spoken: 1 });
  });
});
