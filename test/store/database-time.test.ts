import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { insertSession } from '../../services/core/channels/new-session.ts';
import { reportJoined } from '../../services/core/presence/presence.ts';
import { endSession } from '../../services/core/sessions/end.ts';
import { DatabaseTime } from '../../services/store/database-time.ts';
import { one, sql } from '../../services/store/sql.ts';
import { type MigratedDatabase, newSession, startMigratedDatabase } from '../support/databases/migrated-database.ts';

let store: MigratedDatabase;
let owner: { tenant: string; version: string };
const aheadMs = 20_000;

beforeAll(async () => {
  store = await startMigratedDatabase();
  owner = await store.addTenant('local');
});
afterAll(() => store?.[Symbol.asyncDispose]());

/** From here on the clock of this process is 20 s ahead of the database's. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + aheadMs }));
afterEach(() => void vi.useRealTimers());

/** Milliseconds by which `at` lies after the database's now. */
const ahead = async (at: Date): Promise<number> =>
  (
    await one<{ ms: number }>(
      store.admin,
      sql`select (extract(epoch from ${at}::timestamptz - clock_timestamp()) * 1000)::float8 as ms`,
    )
  ).ms;

test('a process tells the database’s time, once that has told it, whatever its own clock says', async () => {
  const time = new DatabaseTime();
  expect(time.isTold).toBe(false);
  await time.ask(store.db);
  expect(Math.abs(await ahead(time.now()))).toBeLessThan(aheadMs / 2);
  vi.setSystemTime(Date.now() + 3_600_000);
  expect(Math.abs(await ahead(time.now()))).toBeLessThan(aheadMs / 2);
});

test('an answer that took long is taken only where there is no better one', async () => {
  const time = new DatabaseTime();
  const long = performance.now() - 8_000;
  time.learn(new Date(1_000_000), long);
  expect(time.now().getTime()).toBeGreaterThanOrEqual(1_004_000);
  time.learn(new Date(2_000_000), performance.now());
  time.learn(new Date(3_000_000), long);
  expect(time.now().getTime()).toBeLessThan(2_500_000);
});

test('a session ends by the database’s clock', async () => {
  const { session_id: session, room_name: room } = await insertSession(store.db, newSession(owner));
  const { now } = await one<{ now: Date }>(store.db, sql`select clock_timestamp() as now`);
  for (const role of ['person', 'agent'] as const)
    await reportJoined(
      { db: store.db, notifier: { tell: () => undefined } },
      { room, sid: `PA_${role}`, identity: role, role, source: 'room_event', at: now },
    );
  const deps = { db: store.db, notifier: { tell: () => undefined }, rooms: { close: async () => undefined } };
  const ended = await endSession(deps, { tenant: owner.tenant, session, reason: 'client_ended', source: 'api' });
  expect(ended?.billedSeconds).toBeLessThan(10);
  expect(await ahead(ended?.endedAt ?? new Date())).toBeLessThanOrEqual(0);
});
