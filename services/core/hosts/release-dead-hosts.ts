import type { Queryable } from '../../store/sql.ts';
import { type Looker, releaseHost, watchOthers } from '../../store/tables/hosts.ts';
import type { DeathWatch } from './death-watch.ts';

export interface DeadHost {
  host: string;
  /** That wait for another host now. */
  sessions: number;
}

/** Who looks: a host by its own id, or somebody else, such as a worker. */
export interface Watcher extends Looker {
  /** Milliseconds since the connection was lost and made again by which the watcher lives; infinite if it never was. */
  connectionSettledMs: number;
  /** The lock is not held although the watcher believes that it holds it. */
  lockIsMissing?(): void;
}

/**
 * One look at the other hosts. Frees the sessions of those that `deaths` now proves dead; several watchers may do so at once. While the
 * watcher's own lock is not where the others' should be (a failover that broke nobody's connection), nothing is concluded.
 * @throws when the database did not answer; call `deaths.forget()` then: time without it counts against nobody
 */
export async function releaseDeadHosts(db: Queryable, deaths: DeathWatch, watcher: Watcher): Promise<DeadHost[]> {
  const { others, ownLockHeld, settledMs } = await watchOthers(db, watcher);
  if (!ownLockHeld) {
    deaths.forget();
    watcher.lockIsMissing?.();
    return [];
  }
  const dead = deaths.look(
    others.map((other) => ({ id: other.id, lockFree: other.lock_free, heartbeat: other.heartbeat })),
    { now: performance.now(), postgresUpMs: settledMs, ownConnectionMs: watcher.connectionSettledMs },
  );
  const released: DeadHost[] = [];
  for (const host of dead) released.push({ host, sessions: await releaseHost(db, host) });
  return released;
}
