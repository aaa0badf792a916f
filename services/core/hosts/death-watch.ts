/**
 * The two proofs that a host is dead. A false one is harmless, because epochs and eviction decide; a host that
 * is only slow, frozen for a moment or cut off from the database together with everybody else is not proven dead.
 */

export interface HostSighting {
  id: string;
  /** Whether the advisory lock that the host holds for its life can be had. */
  lockFree: boolean;
  heartbeat: number;
}

export interface Circumstances {
  /** Monotonic milliseconds of this process. */
  now: number;
  /** Since PostgreSQL was started, or promoted. */
  postgresUpMs: number;
  /** How long ago the connection by which this process lives was lost and made again; infinite if it never was. */
  ownConnectionMs: number;
}

/** Two looks at a free lock, this far apart, and no heartbeat between them: who makes its connection anew beats all the faster. */
const lockFreeForMs = 300;
/** After a start or a promotion of PostgreSQL, or a break of the network, every host needs time to take its lock again. */
export const settlingMs = 10_000;
const heartbeatStoppedMs = 10_000;
/** Between two looks; after a longer gap (this process stood still, or the database was away) counting begins anew. */
const maxGapMs = 1_500;

interface Suspicion {
  lockFreeSince: number | undefined;
  heartbeat: number;
  heartbeatSince: number;
}

export class DeathWatch {
  #suspicions = new Map<string, Suspicion>();
  #lastLook: number | undefined;

  /** The hosts that are now proven dead. Call it after every successful look at the hosts. */
  look(hosts: readonly HostSighting[], { now, postgresUpMs, ownConnectionMs }: Circumstances): string[] {
    if (this.#lastLook === undefined || now - this.#lastLook > maxGapMs) this.forget();
    this.#lastLook = now;
    const settled = postgresUpMs >= settlingMs && ownConnectionMs >= settlingMs;
    const known = this.#suspicions;
    this.#suspicions = new Map(hosts.map((host) => [host.id, update(known.get(host.id), host, now, settled)]));
    return [...this.#suspicions].filter(([, suspicion]) => isProven(suspicion, now)).map(([id]) => id);
  }

  /** How many hosts the latest look showed. */
  get watched(): number {
    return this.#suspicions.size;
  }

  /** When a look may prove the next death, on the clock of `look`; undefined while every host holds its lock. */
  get nextProofAt(): number | undefined {
    const free = [...this.#suspicions.values()].flatMap(({ lockFreeSince }) => lockFreeSince ?? []);
    return free.length === 0 ? undefined : Math.min(...free) + lockFreeForMs;
  }

  /** The database did not answer: time without it counts against nobody. */
  forget(): void {
    this.#suspicions.clear();
    this.#lastLook = undefined;
  }
}

function update(
  known: Suspicion | undefined,
  { lockFree, heartbeat }: HostSighting,
  now: number,
  settled: boolean,
): Suspicion {
  const stoodStill = known?.heartbeat === heartbeat;
  return {
    lockFreeSince: lockFree && settled ? ((stoodStill ? known.lockFreeSince : undefined) ?? now) : undefined,
    heartbeat,
    heartbeatSince: stoodStill ? known.heartbeatSince : now,
  };
}

function isProven({ lockFreeSince, heartbeatSince }: Suspicion, now: number): boolean {
  return (
    (lockFreeSince !== undefined && now - lockFreeSince >= lockFreeForMs) || now - heartbeatSince >= heartbeatStoppedMs
  );
}
