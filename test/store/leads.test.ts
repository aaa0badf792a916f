import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../services/store/sql.ts';
import { takeLead } from '../../services/store/tables/leads.ts';
import { type FakeHost, startFakeHost } from '../support/databases/fake-host.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../support/databases/migrated-database.ts';

let store: MigratedDatabase;
/** Stand for workers: each holds an advisory lock as long as it lives. */
let [one, other]: FakeHost[] = [];

beforeAll(async () => {
  store = await startMigratedDatabase();
  [one, other] = [await startFakeHost(store.serviceUrl), await startFakeHost(store.serviceUrl)];
});

beforeEach(() => store.admin.query(sql`delete from leads`));

afterAll(async () => {
  await Promise.all([one?.[Symbol.asyncDispose](), other?.[Symbol.asyncDispose]()]);
  await store?.[Symbol.asyncDispose]();
});

const lead = (worker: FakeHost | undefined) => takeLead(store.db, { work: 'rooms', lockKey: worker?.lockKey ?? 0 });

test('one of several leads, however many ask at once, and goes on to', async () => {
  const asked = await Promise.all(Array.from({ length: 10 }, (_, nth) => lead(nth % 2 === 0 ? one : other)));
  const leader = asked[0] ? one : other;
  expect(asked.map((leads, nth) => leads === ((nth % 2 === 0 ? one : other) === leader))).not.toContain(false);
  expect([await lead(leader), await lead(leader === one ? other : one)]).toEqual([true, false]);
});

test('when its process is gone, the next who asks leads at once', async () => {
  const gone = await startFakeHost(store.serviceUrl);
  expect([await lead(gone), await lead(one)]).toEqual([true, false]);
  await gone[Symbol.asyncDispose]();
  expect([await lead(one), await lead(other)]).toEqual([true, false]);
});

test('one that stands still loses the lead when its time is over, and does not take it back', async () => {
  expect(await lead(one)).toBe(true);
  await store.admin.query(sql`update leads set held_until = clock_timestamp()`);
  expect([await lead(other), await lead(one)]).toEqual([true, false]);
});
