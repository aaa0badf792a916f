import { ifLate, unlessAborted, within } from '../../process/within.ts';
import type { PoolLocks } from '../jobs/pool-locks.ts';

export interface Turn {
  name: string;
  /** A worker that hangs keeps its turn: nobody waits longer for it. */
  withinMs: number;
  signal: AbortSignal;
}

/**
 * Runs `work` when no other worker has a turn of this name; it ends with the worker that has it. For what only costs more when
 * it is done twice: after `withinMs` it is done anyway.
 */
export async function inTurn<Result>(
  locks: Pick<PoolLocks, 'hold' | 'letGo'>,
  { name, withinMs, signal }: Turn,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    const held = within(withinMs, `a turn of ${name}`, unlessAborted(signal, locks.hold(name)));
    await held.catch(ifLate(undefined));
    return await work();
  } finally {
    await locks.letGo(name);
  }
}
