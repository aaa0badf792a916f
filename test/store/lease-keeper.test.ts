import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { LeaseKeeper } from '../../services/agent/host/lease-keeper.ts';
import { insertSession } from '../../services/core/channels/new-session.ts';
import type { Database } from '../../services/store/database.ts';
import { openDatabase } from '../../services/store/database.ts';
import { insertWarmRoom } from '../../services/store/tables/hosts.ts';
import { type MigratedDatabase, newSession, startMigratedServer } from '../support/databases/migrated-database.ts';
import type { TestPostgres } from '../support/databases/postgres.ts';
import { eventually } from '../support/eventually.ts';

let store: MigratedDatabase & { postgres: TestPostgres };
let owner: { tenant: string; version: string };
let db: Database;
let keeper: LeaseKeeper;
let asked: string[];
/** How far the database's clock is ahead of this machine's: they are the same one here. */
let aheadMs = 0;

beforeAll(async () => {
  store = await startMigratedServer();
  owner = await store.addTenant('local');
});

afterAll(async () => {
  await store?.[Symbol.asyncDispose]();
});

beforeEach(async () => {
  asked = [];
  aheadMs = 0;
  // As the agent's own: no question hangs for longer.
  db = openDatabase(store.serviceUrl, { queryTimeoutMs: 3_000 });
  keeper = await startKeeper();
});

afterEach(async () => {
  await keeper.stop();
  await db.close();
});

const startKeeper = () =>
  LeaseKeeper.start({
    db: {
      ...db,
      query: async (query) => {
        asked.push(query.name ?? query.text);
        const rows = await db.query<{ beat_at?: Date }>(query);
        for (const row of rows) if (row.beat_at) row.beat_at = new Date(row.beat_at.getTime() + aheadMs);
        return rows as never;
      },
    },
    directUrl: store.serviceUrl,
    capacity: 10,
    voiceCapacity: 0,
    abilities: [],
    onNotification: () => undefined,
    onReady: () => undefined,
    onDeclaredDead: () => undefined,
  });

/** A session of this host's. */
async function ownSession(): Promise<string> {
  const session = newSession(owner, { warm: true });
  await insertWarmRoom(store.admin, session.roomName, keeper.id);
  const { session_id, host_id } = await insertSession(store.db, session);
  expect(host_id).toBe(keeper.id);
  return session_id;
}

/** The whole process, timers and all, as SIGSTOP leaves it. */
const standStill = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_700);

test('a host that stood still may speak in what it still owns, and in nothing else', async () => {
  const [own, taken] = [await ownSession(), await ownSession()];
  await store.admin.query({ text: 'update sessions set host_id = null, epoch = 2 where id = $1', values: [taken] });
  standStill();
  expect(await Promise.all([keeper.maySpeak(own), keeper.maySpeak(taken)])).toEqual(['yes', 'no']);
});

test('with the database away after a standstill nobody can tell, until it is back', async () => {
  const own = await ownSession();
  await store.postgres.pause();
  standStill();
  expect(await keeper.maySpeak(own)).toBe('unknown');
  expect(await keeper.maySpeak(own)).toBe('unknown');
  await store.postgres.resume();
  await eventually('the database has said whose it is', async () => (await keeper.maySpeak(own)) !== 'unknown');
  expect(await keeper.maySpeak(own)).toBe('yes');
});

test('the time is the database’s, and comes with the heartbeat', async () => {
  aheadMs = 3_600_000;
  await eventually('a heartbeat has told the time', async () => keeper.now().getTime() - Date.now() > 3_500_000);
  expect(new Set(asked.filter((query) => !query.startsWith('insert')))).toEqual(new Set(['beat']));
});
