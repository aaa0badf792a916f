import { ifLate, unlessAborted, within } from '../../process/within.ts';
import type { PoolLocks } from '../jobs/pool-locks.ts';

export interface LockTerms {
  name: string;
  /** A worker that hangs keeps the lock: nobody waits longer for it. */
  withinMs: number;
  signal: AbortSignal;
}

/**
 * Runs `work` when no other worker holds the lock of this name; it ends with the worker that holds it. For what only costs more when
 * it is done twice: after `withinMs` it is done anyway.
 */
export async function underLock<Result>(
  locks: Pick<PoolLocks, 'hold' | 'letGo'>,
  { name, withinMs, signal }: LockTerms,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    const held = within(withinMs, `the lock ${name}`, unlessAborted(signal, locks.hold(name)));
    await held.catch(ifLate(undefined));
    return await work();
  } finally {
    await locks.letGo(name);
  }
}
