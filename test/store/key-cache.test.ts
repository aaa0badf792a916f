import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { regenerateKey, revealCredentials } from '../../services/core/credentials/credentials.ts';
import { type KeyCache, makeKeyCache } from '../../services/core/credentials/key-cache.ts';
import { makeVault } from '../../services/core/credentials/vault.ts';
import type { Database } from '../../services/store/database.ts';
import type { Query } from '../../services/store/sql.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../support/databases/migrated-database.ts';
import { eventually } from '../support/eventually.ts';
import { masterKeys } from '../support/world/master-keys.ts';

let store: MigratedDatabase;
let owner: { tenant: string; agent: string };
let key: string;
let cache: KeyCache;
/** Statements outside a transaction: one each time PostgreSQL is asked whose a key is. */
let asked: number;

const vault = makeVault(masterKeys);
const unknownKey = () => `pk_${randomBytes(32).toString('base64url')}`;

beforeAll(async () => {
  store = await startMigratedDatabase();
  const { tenant } = await store.addTenant('keys');
  owner = { tenant, agent: 'desk' };
  key = (await revealCredentials({ db: store.db, vault }, owner)).apiKey;
});

afterAll(async () => {
  await store?.[Symbol.asyncDispose]();
});

beforeEach(() => {
  asked = 0;
  const counting: Database = {
    ...store.db,
    query: (query) => {
      asked += 1;
      return store.db.query(query);
    },
  };
  cache = makeKeyCache(counting);
});

test('keys that nobody has push no good one out, however many come', async () => {
  expect((await cache.find(key))?.agent.agent).toBe('desk');
  for (let round = 0; round < 12; round += 1)
    await Promise.all(Array.from({ length: 1_000 }, () => cache.find(unknownKey())));
  expect(cache.wasGood(key)).toBe(true);
});

test('a key that nobody has is asked for once, however often it comes', async () => {
  const unknown = unknownKey();
  const found = await Promise.all(Array.from({ length: 50 }, () => cache.find(unknown)));
  for (let again = 0; again < 50; again += 1) found.push(await cache.find(unknown));
  expect(new Set(found)).toEqual(new Set([undefined]));
  expect(asked).toBe(1);
  expect(cache.wasGood(unknown)).toBe(false);
});

test('a key that is asked for again costs one statement, and brings no definition that is there already', async () => {
  const before = await cache.find(key);
  cache.clear();
  asked = 0;
  const rows: unknown[] = [];
  const watched = makeKeyCache({
    ...store.db,
    query: async <Row>(query: Query) => {
      const answer = await store.db.query<Row>(query);
      rows.push(...answer);
      return answer;
    },
    asTenant: async () => {
      throw new Error('no transaction is needed');
    },
  });
  const first = await watched.find(key);
  watched.clear();
  expect((await watched.find(key))?.agent.definition).toBe(first?.agent.definition);
  expect(first?.agent).toEqual(before?.agent);
  expect(rows).toMatchObject([{ definition: { agent: 'desk' } }, { definition: null }]);
});

test('requests at once with a good key ask once', async () => {
  const found = await Promise.all(Array.from({ length: 50 }, () => cache.find(key)));
  expect(found.every((one) => one?.agent.tenant === owner.tenant)).toBe(true);
  expect(asked).toBe(1);
});

test('what changes while it is being asked for is asked for again', async () => {
  await Promise.all([cache.find(key), cache.clear()]);
  await cache.find(key);
  expect(asked).toBe(2);
});

test('a revoked key is not good any more, without a notice too', async () => {
  const { tenant } = await store.addTenant('revoked');
  const revoked = { tenant, agent: 'desk' };
  const { apiKey } = await revealCredentials({ db: store.db, vault }, revoked);
  expect(await cache.find(apiKey)).toBeDefined();
  await regenerateKey({ db: store.db, vault, notifier: { tell: () => undefined } }, revoked, 0);
  await eventually('it is refused', async () => (await cache.find(apiKey)) === undefined);
  expect(cache.wasGood(apiKey)).toBe(false);
});
