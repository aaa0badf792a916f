import { afterAll, beforeAll, expect, test } from 'vitest';
import { throttled } from '../../services/core/account/throttle.ts';
import type { Queryable } from '../../services/store/sql.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../support/databases/migrated-database.ts';

let store: MigratedDatabase;

beforeAll(async () => {
  store = await startMigratedDatabase();
});

afterAll(async () => {
  await store?.[Symbol.asyncDispose]();
});

const trying = (name: string) => ({ email: `${name}@example.com`, address: `address of ${name}` });

/** A database that has no connection to give for all but the first so many statements. */
const busyAfter = (statements: number): Queryable => {
  let left = statements;
  return {
    query: (query) => {
      if (left-- <= 0) throw new Error('timeout exceeded when trying to connect');
      return store.admin.query(query);
    },
  };
};

test('a password for which the database had no time is not one of the ten that are looked at', async () => {
  const anna = trying('anna');
  const looked: string[] = [];
  const guess = (q: Queryable) =>
    throttled(q, anna, async () => {
      looked.push('guess');
      return false;
    }).catch((error: Error) => error.message);
  for (let n = 0; n < 30; n += 1) await guess(busyAfter(n % 2));
  const before = looked.length;
  for (let n = 0; n < 12; n += 1) await guess(store.admin);
  expect([before, looked.length]).toEqual([10, 10]);
});

test('of sixty at once ten are looked at, and a right one among them leaves room for another', async () => {
  const ben = trying('ben');
  let looked = 0;
  const guess = (isRight: boolean) =>
    throttled(store.admin, ben, async () => {
      looked += 1;
      return isRight;
    }).catch((error: { code?: string }) => error.code);
  const answers = await Promise.all(Array.from({ length: 60 }, () => guess(false)));
  expect([looked, answers.filter((answer) => answer === 'rate_limited').length]).toEqual([10, 50]);
  const other = trying('other');
  for (let n = 0; n < 30; n += 1) expect(await throttled(store.admin, other, async () => true)).toBe(true);
});
