import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { insertSession, type NewSession } from '../../services/core/channels/new-session.ts';
import { sql } from '../../services/store/sql.ts';
import { claimSessions, keepHostKinds, retireHost } from '../../services/store/tables/hosts.ts';
import { type FakeHost, startFakeHost } from '../support/databases/fake-host.ts';
import { type MigratedDatabase, newSession, startMigratedDatabase } from '../support/databases/migrated-database.ts';

let store: MigratedDatabase;
let owner: { tenant: string; version: string };

beforeAll(async () => {
  store = await startMigratedDatabase();
  owner = await store.addTenant('retiring');
});

afterAll(async () => {
  await store?.[Symbol.asyncDispose]();
});

afterEach(async () => {
  await store.admin.query(
    sql`update sessions set status = 'ended', end_reason = 'client_ended', ended_at = now() where status <> 'ended'`,
  );
});

async function carries(host: FakeHost, sessions: readonly NewSession['mode'][]): Promise<void> {
  for (const mode of sessions) await insertSession(store.db, newSession(owner, { mode }));
  const count = sessions.length;
  const claimed = await claimSessions(store.db, host.id, { fresh: count, total: count, hasWarmRooms: false });
  expect(claimed).toHaveLength(count);
}

const mayLeave = (host: FakeHost, { alone = false } = {}) => retireHost(store.db, host.id, { alone });

test('a host that does nothing leaves when another is there, or when it may be the only one', async () => {
  await using idle = await startFakeHost(store.serviceUrl);
  expect(await mayLeave(idle)).toBe(false);
  expect(await mayLeave(idle, { alone: true })).toBe(true);
  await using next = await startFakeHost(store.serviceUrl);
  expect(await mayLeave(next)).toBe(false);
  await using _other = await startFakeHost(store.serviceUrl);
  expect(await mayLeave(next)).toBe(true);
});

test('the only host with a conversation stays', async () => {
  await using host = await startFakeHost(store.serviceUrl);
  await carries(host, ['TEXT']);
  expect(await mayLeave(host, { alone: true })).toBe(false);
});

test('a host with conversations stays until others have room for all of them', async () => {
  await using host = await startFakeHost(store.serviceUrl);
  await carries(host, ['TEXT', 'TEXT']);
  expect(await mayLeave(host)).toBe(false);
  await using _small = await startFakeHost(store.serviceUrl, { capacity: 1 });
  expect(await mayLeave(host)).toBe(false);
  await using _other = await startFakeHost(store.serviceUrl, { capacity: 1 });
  expect(await mayLeave(host)).toBe(true);
});

test('spoken conversations need hosts that speak', async () => {
  await using host = await startFakeHost(store.serviceUrl, { voiceCapacity: 1 });
  await carries(host, ['VOICE']);
  await using _silent = await startFakeHost(store.serviceUrl, { capacity: 100, voiceCapacity: 0 });
  expect(await mayLeave(host)).toBe(false);
  await using _speaking = await startFakeHost(store.serviceUrl, { voiceCapacity: 1 });
  expect(await mayLeave(host)).toBe(true);
});

test('of two that would leave for each other one stays', async () => {
  await using one = await startFakeHost(store.serviceUrl);
  await using two = await startFakeHost(store.serviceUrl);
  await carries(one, ['TEXT']);
  await carries(two, ['TEXT']);
  expect((await Promise.all([mayLeave(one), mayLeave(two)])).toSorted()).toEqual([false, true]);
});

test('a host that has not been heard of for seconds has no room for anybody', async () => {
  await using host = await startFakeHost(store.serviceUrl);
  await carries(host, ['TEXT']);
  await using silent = await startFakeHost(store.serviceUrl);
  await store.admin.query(sql`update hosts set beat_at = now() - interval '6 seconds' where id = ${silent.id}`);
  expect(await mayLeave(host)).toBe(false);
});

test('a kind of host that is there is seen, one that has been gone for a month is forgotten, and the last one stays', async () => {
  const kinds = () =>
    store.admin.query<{ kind: string; is_new: boolean }>(
      sql`select kind, seen_at > now() - interval '1 day' as is_new from host_kinds order by seen_at desc`,
    );
  const longAgo = () => store.admin.query(sql`update host_kinds set seen_at = now() - interval '40 days'`);
  await store.admin.query(sql`delete from host_kinds`);
  {
    await using _host = await startFakeHost(store.serviceUrl);
    await longAgo();
    await store.admin.query(sql`
      insert into host_kinds (kind, takes_spoken, abilities, seen_at) values ('gone', true, '{}', now() - interval '41 days')`);
    await keepHostKinds(store.db);
    expect(await kinds()).toEqual([{ kind: expect.not.stringMatching('gone'), is_new: true }]);
  }
  await longAgo();
  await keepHostKinds(store.db);
  expect(await kinds()).toHaveLength(1);
});
