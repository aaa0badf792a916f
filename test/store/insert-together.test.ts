import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NewSession } from '../../services/core/channels/new-session.ts';
import { insertTogether } from '../../services/core/sessions/insert-together.ts';
import { openDatabase } from '../../services/store/database.ts';
import type { Queryable } from '../../services/store/sql.ts';
import { sql } from '../../services/store/sql.ts';
import type { CreateResult } from '../../services/store/tables/sessions.ts';
import { startFakeHost } from '../support/databases/fake-host.ts';
import {
  type MigratedDatabase,
  newSession,
  startMigratedDatabase,
  startMigratedServer,
} from '../support/databases/migrated-database.ts';

let store: MigratedDatabase;
let tenants = 0;

beforeAll(async () => {
  store = await startMigratedDatabase();
});

afterAll(async () => {
  await store?.[Symbol.asyncDispose]();
});

/** A tenant of the test's own, and the statements that were run for it. */
async function aTenant() {
  tenants += 1;
  const owner = await store.addTenant(`tenant-${tenants}`);
  const statements: (string | undefined)[] = [];
  const watched: Queryable = {
    query: (query) => {
      statements.push(query.name);
      return store.db.query(query);
    },
  };
  const insert = insertTogether(watched);
  return {
    statements,
    insert,
    create: (fields: Partial<NewSession> = {}) => insert(newSession(owner, fields)),
    session: (fields: Partial<NewSession> = {}) => newSession(owner, fields),
    stored: () =>
      store.admin.query<{ id: string; room_name: string; host_id: string | null; voice_id: string | null }>(
        sql`select id, room_name, host_id, voice_id from sessions where tenant_id = ${owner.tenant}`,
      ),
  };
}

const results = (created: readonly CreateResult[]) => created.map(({ result }) => result);
const times = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('sessions that are asked for at the same time', () => {
  test('are made by few statements, and each asker gets its own', async () => {
    const { insert, session, statements, stored } = await aTenant();
    const asked = times(70).map((index) => session({ voiceId: `voice ${index}`, createdBy: randomBytes(32) }));
    const created = await Promise.all(asked.map(insert));
    // The first begins at once, the others go together, 32 at most.
    expect(statements).toEqual(times(4).map(() => 'open-sessions'));
    expect(created.map(({ session_id, room_name, voice_id }) => [session_id, room_name, voice_id])).toEqual(
      asked.map(({ id, roomName, voiceId }) => [id, roomName, voiceId]),
    );
    expect((await stored()).map(({ id }) => id).sort()).toEqual(asked.map(({ id }) => id).sort());
  });

  test('get the warm rooms in the order in which they asked, until none is left', async () => {
    const { create } = await aTenant();
    await using host = await startFakeHost(store.serviceUrl);
    const rooms = await host.addWarmRooms(6);
    const created = await Promise.all(times(8).map(() => create({ warm: true })));
    expect(results(created)).toEqual([...times(6).map(() => 'warm'), 'cold', 'cold']);
    expect(created.slice(0, 6).map(({ room_name }) => room_name)).toEqual(rooms);
    expect(created.slice(0, 6).every(({ host_id }) => host_id === host.id)).toBe(true);
  });

  test('are counted one by one against what one visitor may ask for', async () => {
    const { create } = await aTenant();
    const [one, other] = [randomBytes(32), randomBytes(32)];
    const created = await Promise.all(
      [one, one, other, one, null, one, other, null].map((createdBy) => create({ createdBy, unjoinedCap: 2 })),
    );
    expect(results(created)).toEqual([
      'cold',
      'cold',
      'cold',
      'unjoined_limit',
      'cold',
      'unjoined_limit',
      'cold',
      'cold',
    ]);
  });

  test("are counted one by one against the agent's cap, which a refused one leaves alone", async () => {
    const { create, stored } = await aTenant();
    const visitor = randomBytes(32);
    const fields = { concurrentCap: 4, unjoinedCap: 1 };
    await create({ ...fields, createdBy: visitor });
    const created = await Promise.all(
      [visitor, null, null, null, null].map((createdBy) => create({ ...fields, createdBy })),
    );
    expect(results(created)).toEqual(['unjoined_limit', 'cold', 'cold', 'cold', 'concurrency_limit']);
    expect(await stored()).toHaveLength(4);
  });

  test('are made apart when their agents are not the same, and when their caps are not', async () => {
    const [mine, other] = [await aTenant(), await aTenant()];
    const insert = insertTogether(store.db);
    const created = await Promise.all(
      times(10).flatMap(() => [
        insert(mine.session()),
        insert(other.session()),
        insert(other.session({ concurrentCap: 1 })),
      ]),
    );
    expect(results(created).filter((result) => result === 'cold').length).toBeGreaterThanOrEqual(20);
    expect(await mine.stored()).toHaveLength(10);
  });
});

test('a session that the database refuses fails alone', async () => {
  const { insert, session, stored } = await aTenant();
  const twice = session();
  const asked = [session(), session(), twice, session(), { ...session(), id: twice.id }, session()];
  const settled = await Promise.allSettled(asked.map(insert));
  expect(settled.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  expect(await stored()).toHaveLength(5);
});

test('a request that may be a repetition is made by itself', async () => {
  const { create, statements } = await aTenant();
  const idempotency = { scopeHash: randomBytes(32), bodyHash: randomBytes(32) };
  const created = await Promise.all([create(), create(), create(), create({ idempotency }), create({ idempotency })]);
  expect(results(created).sort()).toEqual(['cold', 'cold', 'cold', 'cold', 'idempotency_key_in_progress']);
  expect(statements.sort()).toEqual(['open-session', 'open-session', 'open-sessions', 'open-sessions']);
});

test('who comes when thousands wait is told to come back, and is served then', async () => {
  const { session } = await aTenant();
  const answered = Promise.withResolvers<void>();
  const insert = insertTogether({
    query: async (query) => {
      await answered.promise;
      return store.db.query(query);
    },
  });
  const waiting = times(2_000).map(() => insert(session()));
  await expect(insert(session())).rejects.toMatchObject({ status: 503, code: 'unavailable' });
  answered.resolve();
  expect(new Set(results(await Promise.all(waiting)))).toEqual(new Set(['cold']));
  expect((await insert(session())).result).toBe('cold');
});

test('with the database away everybody who asked is told, and later ones are served again', async () => {
  const { session } = await aTenant();
  await using postgres = await startMigratedServer();
  const owner = await postgres.addTenant('away');
  const db = openDatabase(postgres.serviceUrl);
  const insert = insertTogether(db);
  await postgres.postgres.kill();
  const settled = await Promise.allSettled(times(40).map(() => insert({ ...session(), ...owner })));
  expect(settled.every(({ status }) => status === 'rejected')).toBe(true);
  await postgres.postgres.start();
  expect(results(await Promise.all(times(3).map(() => insert({ ...session(), ...owner }))))).toEqual(
    times(3).map(() => 'cold'),
  );
  await db.close();
});
