import type { Queryable } from '../../store/sql.ts';
import { forceUnlockPools, watchBusyPools } from '../../store/tables/job-pools.ts';

/** Two looks this far apart: a lock whose connection was cut is taken again within that time. */
const apartMs = 1_000;
/** After a restart of PostgreSQL every lock is free until its owner has connected again. */
const postgresSettlesMs = 10_000;

export interface Sweep {
  /** Gives jobs of dead pools free and returns the pools' names; with `suspects`, look again in a second. */
  look(): Promise<{ unlocked: string[]; suspects: number }>;
}

/**
 * Finds pools that took jobs and died with them: graphile-worker alone would wait four hours. A false proof does no harm,
 * since every job may run twice.
 */
export function makeSweep(q: Queryable, elapsedMs: () => number = () => performance.now()): Sweep {
  const freeSince = new Map<string, number>();
  return {
    look: async () => {
      const { pools, postgresUpMs } = await watchBusyPools(q);
      const free = pools.filter((pool) => pool.lock_free).map(({ pool }) => pool);
      if (postgresUpMs < postgresSettlesMs) freeSince.clear();
      for (const pool of freeSince.keys()) if (!free.includes(pool)) freeSince.delete(pool);
      if (postgresUpMs < postgresSettlesMs) return { unlocked: [], suspects: free.length };
      for (const pool of free) if (!freeSince.has(pool)) freeSince.set(pool, elapsedMs());
      const unlocked = free.filter((pool) => elapsedMs() - (freeSince.get(pool) ?? Infinity) >= apartMs);
      if (unlocked.length > 0) await forceUnlockPools(q, unlocked);
      for (const pool of unlocked) freeSince.delete(pool);
      return { unlocked, suspects: freeSince.size };
    },
  };
}
