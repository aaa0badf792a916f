import type { Queryable } from '../../store/sql.ts';
import { type BusyPool, forceUnlockPools, watchBusyPools } from '../../store/tables/job-pools.ts';

/** Two looks this far apart: a lock whose connection was cut is taken again within that time. */
const apartMs = 1_000;
/** Counts are written every 2 s; a worker needs up to 10 s to find back to a database that has failed over. */
const silentForMs = 30_000;
/** Between two looks (5 s); after a longer gap this process stood still, or the database was away, and waiting begins anew. */
const maxGapMs = 20_000;
/** After a restart of PostgreSQL every lock is free until its owner has connected again. */
const postgresSettlesMs = 10_000;

export interface Sweep {
  /** Gives jobs of dead pools free and returns the pools' names; with `suspects`, look again in a second. */
  look(): Promise<{ unlocked: string[]; suspects: number }>;
}

/**
 * Finds pools that took jobs and died with them, by their lock or by their heartbeat: graphile-worker alone would wait four hours. A
 * false proof does no harm, since every job may run twice.
 */
export function makeSweep(q: Queryable, elapsedMs: () => number = () => performance.now()): Sweep {
  const freeSince = new Map<string, number>();
  const silent = new SilentPools();
  return {
    look: async () => {
      const { pools, postgresUpMs } = await watchBusyPools(q);
      const nowMs = elapsedMs();
      const silentPools = silent.look(pools, nowMs);
      const free = pools.filter((pool) => pool.lock_free).map(({ pool }) => pool);
      if (postgresUpMs < postgresSettlesMs) freeSince.clear();
      for (const pool of freeSince.keys()) if (!free.includes(pool)) freeSince.delete(pool);
      if (postgresUpMs < postgresSettlesMs) return { unlocked: [], suspects: free.length };
      for (const pool of free) if (!freeSince.has(pool)) freeSince.set(pool, nowMs);
      const lockless = free.filter((pool) => nowMs - (freeSince.get(pool) ?? Infinity) >= apartMs);
      const unlocked = [...new Set([...lockless, ...silentPools])];
      if (unlocked.length > 0) await forceUnlockPools(q, unlocked);
      for (const pool of unlocked) freeSince.delete(pool);
      return { unlocked, suspects: freeSince.size };
    },
  };
}

/** Those whose heartbeat has stood still for 30 s, in all of which this process looked. */
class SilentPools {
  #beats = new Map<string, { heartbeat: number; sinceMs: number }>();
  #lastLookMs = Number.NEGATIVE_INFINITY;

  look(pools: readonly BusyPool[], nowMs: number): string[] {
    if (nowMs - this.#lastLookMs > maxGapMs) this.#beats.clear();
    this.#lastLookMs = nowMs;
    const known = this.#beats;
    this.#beats = new Map();
    for (const { pool, heartbeat } of pools) {
      if (heartbeat === null) continue;
      const last = known.get(pool);
      this.#beats.set(pool, last?.heartbeat === heartbeat ? last : { heartbeat, sinceMs: nowMs });
    }
    return [...this.#beats].filter(([, { sinceMs }]) => nowMs - sinceMs >= silentForMs).map(([pool]) => pool);
  }
}
