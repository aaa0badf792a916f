/** While an up waits, says what for; when it is told to be done, makes sure of it. */
import { causesIn, unfinishedIn } from './causes.ts';
import type { Cluster } from './kubectl.ts';
import { type Clock, keepLooking, type Looking, systemClock, tellLasting } from './lasting.ts';

const lookEveryMs = 5_000;

export interface Watch extends Looking {
  /** Resolves when every new pod serves. @throws Error that names those that do not, and why, after the longest time */
  served(): Promise<void>;
}

export interface WatchArgs {
  cluster: Pick<Cluster, 'look'>;
  tell(sentence: string): void;
  /** How long the last pods may take once nothing else is waited for. */
  longestMs: number;
  clock?: Clock;
}

/** Looks from now on, without keeping the process. */
export function watchRollout({ cluster, tell, longestMs, clock = systemClock }: WatchArgs): Watch {
  const tellCauses = tellLasting(tell, clock);
  const look = async () => {
    const found = await cluster.look();
    const causes = causesIn(found);
    tellCauses(causes);
    return { unfinished: unfinishedIn(found), causes };
  };
  const { stop } = keepLooking(look, lookEveryMs, clock);
  return {
    stop,
    async served() {
      const until = clock.now() + longestMs;
      for (;;) {
        const { unfinished, causes } = await look();
        if (unfinished.length === 0) return stop();
        if (clock.now() > until)
          throw new Error(`New pods of ${unfinished.join(', ')} do not serve. ${causes.join(' ')}`.trim());
        await clock.pause(lookEveryMs, undefined);
      }
    },
  };
}
