import type { Queryable } from '../../store/sql.ts';
import { releaseHost, watchOthers } from '../../store/tables/hosts.ts';
import type { DeathWatch } from './death-watch.ts';

export interface DeadHost {
  host: string;
  /** That wait for another host now. */
  sessions: number;
}

/** Who looks: with the host's own id, a host; without, somebody else, such as a worker. */
export interface Watcher {
  id?: string;
  /** Milliseconds since the connection was lost and made again by which the watcher lives; infinite if it never was. */
  connectionSettledMs: number;
}

/**
 * One look at the other hosts. Frees the sessions of those that `deaths` now proves dead; several watchers may do so at once.
 * @throws when the database did not answer; call `deaths.forget()` then: time without it counts against nobody
 */
export async function releaseDeadHosts(db: Queryable, deaths: DeathWatch, watcher: Watcher): Promise<DeadHost[]> {
  const others = await watchOthers(db, watcher.id);
  const dead = deaths.look(
    others.map((other) => ({ id: other.id, lockFree: other.lock_free, heartbeat: other.heartbeat })),
    {
      now: performance.now(),
      postgresUpMs: (others[0]?.postgres_up_seconds ?? 0) * 1000,
      ownConnectionMs: watcher.connectionSettledMs,
    },
  );
  const released: DeadHost[] = [];
  for (const host of dead) released.push({ host, sessions: await releaseHost(db, host) });
  return released;
}
