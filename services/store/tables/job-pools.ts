import { settledMs } from '../database-time.ts';
import { one, type Queryable, sql } from '../sql.ts';

/**
 * A pool of job runners is alive while its process holds the advisory lock that belongs to the pool's name. The lock's key is
 * a hash of the name, which graphile-worker stores with every job that the pool has taken.
 */
export const lockPool = async (q: Queryable, pool: string) =>
  (await one<{ locked: boolean }>(q, sql`select pg_try_advisory_lock(hashtextextended(${pool}, 0)) as locked`)).locked;

export const unlockPool = (q: Queryable, pool: string) =>
  q.query(sql`select pg_advisory_unlock(hashtextextended(${pool}, 0))`);

export interface BusyPool {
  pool: string;
  lock_free: boolean;
}

/** Pools that have taken jobs, with whether the lock of each can be had; and how long PostgreSQL itself has been up. */
export const watchBusyPools = async (q: Queryable) => {
  const pools = await q.query<BusyPool>(sql`
    select pool, not exists (
      select 1 from pg_locks l where l.locktype = 'advisory' and l.granted and l.objsubid = 1
        and l.database = (select oid from pg_database where datname = current_database())
        and ((l.classid::bigint << 32) | l.objid::bigint) = hashtextextended(pool, 0)) as lock_free
    from (select distinct locked_by as pool from graphile_worker.jobs where locked_by is not null) busy`);
  return { pools, postgresUpMs: await settledMs(q) };
};

/** The jobs that these pools had taken may be taken by others. */
export const forceUnlockPools = (q: Queryable, pools: readonly string[]) =>
  q.query(sql`select graphile_worker.force_unlock_workers(${pools}::text[])`);
