import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../services/store/database.ts';
import { sql } from '../../services/store/sql.ts';
import { beatPools } from '../../services/store/tables/job-pools.ts';
import { addJob } from '../../services/store/tables/jobs.ts';
import { openPoolLocks } from '../../services/worker/jobs/pool-locks.ts';
import { makeSweep } from '../../services/worker/jobs/sweep.ts';
import { type MigratedDatabase, startMigratedServer } from '../support/databases/migrated-database.ts';
import type { TestPostgres } from '../support/databases/postgres.ts';
import { eventually } from '../support/eventually.ts';
import { startTcpProxy } from '../support/network/tcp-proxy.ts';

let store: MigratedDatabase & { postgres: TestPostgres };
let tenant: string;

beforeAll(async () => {
  store = await startMigratedServer();
  ({ tenant } = await store.addTenant('mine'));
  await eventually('the server has settled', async () => {
    const [row] = await store.admin.query<{ ms: number }>(sql`select settled_ms() as ms`);
    return (row?.ms ?? 0) > 10_500;
  });
});
afterEach(() => store.admin.query(sql`delete from graphile_worker._private_jobs`));
afterAll(() => store?.[Symbol.asyncDispose]());

/** A job that a pool has taken. */
async function taken(pool: string): Promise<void> {
  await store.db.asTenant(tenant, (tx) => addJob(tx, 'finish_session', { tenant, session: pool }, { key: pool }));
  await store.admin.query(
    sql`update graphile_worker._private_jobs set locked_by = ${pool}, locked_at = now() where key = ${pool}`,
  );
}

const holderOf = async (pool: string) =>
  (
    await store.admin.query<{ by: string | null }>(
      sql`select locked_by as by from graphile_worker.jobs where key = ${pool}`,
    )
  )[0]?.by;

test('jobs of a worker whose node is lost are free after half a minute, although the server still holds its lock', async () => {
  const proxy = await startTcpProxy(store.postgres.port);
  const url = proxy.through(store.serviceUrl);
  const [lost, alive] = [openPoolLocks(url), openPoolLocks(store.serviceUrl)];
  const [itsDb, db] = [openDatabase(url, { queryTimeoutMs: 500 }), store.db];
  await Promise.all([lost.hold('lost'), alive.hold('alive')]);
  await Promise.all([taken('lost'), taken('alive'), taken('of the release before')]);
  const others = openPoolLocks(store.serviceUrl);
  await others.hold('of the release before');
  await Promise.all([beatPools(itsDb, lost.pools), beatPools(db, alive.pools)]);
  let nowMs = 0;
  const sweep = makeSweep(db, () => nowMs);
  expect(await sweep.look()).toEqual({ unlocked: [], suspects: 0 });
  proxy.partition();
  const found: string[] = [];
  for (; nowMs < 40_000; nowMs += 5_000) {
    await beatPools(itsDb, lost.pools).catch(() => undefined);
    await beatPools(db, alive.pools);
    found.push(...(await sweep.look()).unlocked);
  }
  expect(new Set(found)).toEqual(new Set(['lost']));
  expect(await Promise.all(['lost', 'alive', 'of the release before'].map(holderOf))).toEqual([
    null,
    'alive',
    'of the release before',
  ]);
  await Promise.all([lost.close(), alive.close(), others.close(), itsDb.close()]);
  await proxy[Symbol.asyncDispose]();
});

test('time in which nobody looked counts against no pool', async () => {
  const locks = openPoolLocks(store.serviceUrl);
  await locks.hold('slow');
  await taken('slow');
  await beatPools(store.db, locks.pools);
  let nowMs = 0;
  const sweep = makeSweep(store.db, () => nowMs);
  await sweep.look();
  nowMs = 120_000;
  expect((await sweep.look()).unlocked).toEqual([]);
  nowMs += 15_000;
  expect((await sweep.look()).unlocked).toEqual([]);
  await locks.close();
});
