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

/**
 * A lock may be held by a connection whose other end is gone with its node: the server learns of that after minutes or hours. So
 * the process of a pool also counts up, and one that has stopped doing so is gone.
 */
export const beatPools = (q: Queryable, pools: readonly string[]) =>
  q.query(sql`
    insert into job_pools (pool) select unnest(${pools}::text[])
    on conflict (pool) do update set heartbeat = job_pools.heartbeat + 1, beat_at = clock_timestamp()`);

/** Pools are named anew with every start: what has not been heard of for a day comes no more. */
export const forgetPools = (q: Queryable) =>
  q.query(sql`delete from job_pools where beat_at < clock_timestamp() - interval '1 day'`);

export interface BusyPool {
  pool: string;
  lock_free: boolean;
  /** Null for a pool of a release that does not count. */
  heartbeat: number | null;
}

/** Pools that have taken jobs, with whether the lock of each can be had, and its heartbeat; and how long ago PostgreSQL was started or promoted. */
export const watchBusyPools = async (q: Queryable) => {
  const pools = await q.query<BusyPool>(sql`
    select pool, not exists (
      select 1 from pg_locks l where l.locktype = 'advisory' and l.granted and l.objsubid = 1
        and l.database = (select oid from pg_database where datname = current_database())
        and ((l.classid::bigint << 32) | l.objid::bigint) = hashtextextended(pool, 0)) as lock_free,
      (select heartbeat from job_pools p where p.pool = busy.pool)
    from (select distinct locked_by as pool from graphile_worker.jobs where locked_by is not null) busy`);
  return { pools, postgresUpMs: await settledMs(q) };
};

/** The jobs that these pools had taken may be taken by others. */
export const forceUnlockPools = (q: Queryable, pools: readonly string[]) =>
  q.query(sql`select graphile_worker.force_unlock_workers(${pools}::text[])`);
