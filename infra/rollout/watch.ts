/** While an up waits, says what for; when it is told to be done, makes sure of it. */
import { setTimeout as wait } from 'node:timers/promises';
import { causesIn, unfinishedIn } from './causes.ts';
import type { Cluster } from './kubectl.ts';

const lookEveryMs = 5_000;
/** A cause that lasts so long is told: pods of a rollout pass through some of them. */
const lastsMs = 30_000;

export interface Watch {
  /** Resolves when every new pod serves. @throws Error that names those that do not, and why, after the longest time */
  served(): Promise<void>;
  stop(): void;
}

export interface WatchArgs {
  cluster: Pick<Cluster, 'look'>;
  tell(sentence: string): void;
  /** How long the last pods may take once nothing else is waited for. */
  longestMs: number;
  clock?: Clock;
}

/** Time, which tests have of their own. */
export interface Clock {
  now(): number;
  pause(ms: number, signal: AbortSignal | undefined): Promise<unknown>;
}

const systemClock: Clock = {
  now: () => Date.now(),
  // Who only looks does not keep the process.
  pause: (ms, signal) => wait(ms, undefined, signal ? { ref: false, signal } : {}),
};

/** Looks from now on, without keeping the process. */
export function watchRollout({ cluster, tell, longestMs, clock = systemClock }: WatchArgs): Watch {
  const seenSince = new Map<string, number>();
  const told = new Set<string>();
  const stopping = new AbortController();
  const look = async () => {
    const found = await cluster.look();
    const causes = causesIn(found);
    for (const gone of [...seenSince.keys()].filter((cause) => !causes.includes(cause))) seenSince.delete(gone);
    for (const cause of causes) {
      const since = seenSince.get(cause) ?? clock.now();
      seenSince.set(cause, since);
      if (clock.now() - since < lastsMs || told.has(cause)) continue;
      told.add(cause);
      tell(cause);
    }
    return { unfinished: unfinishedIn(found), causes };
  };
  const looking = async () => {
    while (!stopping.signal.aborted) {
      // An answer that fails is asked for again; whether the cluster is there, the provider says.
      await Promise.allSettled([look()]);
      // Stopping ends it early.
      await Promise.allSettled([clock.pause(lookEveryMs, stopping.signal)]);
    }
  };
  void looking();
  return {
    stop: () => stopping.abort(),
    async served() {
      const until = clock.now() + longestMs;
      for (;;) {
        const { unfinished, causes } = await look();
        if (unfinished.length === 0) return stopping.abort();
        if (clock.now() > until)
          throw new Error(`New pods of ${unfinished.join(', ')} do not serve. ${causes.join(' ')}`.trim());
        await clock.pause(lookEveryMs, undefined);
      }
    },
  };
}
