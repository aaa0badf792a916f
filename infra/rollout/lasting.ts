/** Looks again and again while something is waited for, and tells what lasts. */
import { setTimeout as wait } from 'node:timers/promises';

/** A cause that lasts so long is told: what is under way passes through some of them. */
const lastsMs = 30_000;

/** Time, which tests have of their own. */
export interface Clock {
  now(): number;
  pause(ms: number, signal: AbortSignal | undefined): Promise<unknown>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  // Who only looks does not keep the process.
  pause: (ms, signal) => wait(ms, undefined, signal ? { ref: false, signal } : {}),
};

/** @returns what takes all causes of a look; each that lasts is told, once */
export function tellLasting(tell: (sentence: string) => void, clock: Clock): (causes: readonly string[]) => void {
  const seenSince = new Map<string, number>();
  const told = new Set<string>();
  return (causes) => {
    for (const gone of [...seenSince.keys()].filter((cause) => !causes.includes(cause))) seenSince.delete(gone);
    for (const cause of causes) {
      const since = seenSince.get(cause) ?? clock.now();
      seenSince.set(cause, since);
      if (clock.now() - since < lastsMs || told.has(cause)) continue;
      told.add(cause);
      tell(cause);
    }
  };
}

export interface Looking {
  stop(): void;
}

/** Looks from now on, without keeping the process. A look that fails is followed by the next one. */
export function keepLooking(look: () => Promise<unknown>, everyMs: number, clock: Clock): Looking {
  const stopping = new AbortController();
  const looking = async () => {
    while (!stopping.signal.aborted) {
      // What is asked says itself what it lacks, and whether it is there at all the provider does.
      await Promise.allSettled([look()]);
      // Stopping ends it early.
      await Promise.allSettled([clock.pause(everyMs, stopping.signal)]);
    }
  };
  void looking();
  return { stop: () => stopping.abort() };
}
