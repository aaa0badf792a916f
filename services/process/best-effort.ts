import { channel } from 'node:diagnostics_channel';

/** What did not work and nobody waits for. */
export interface FailedEffort {
  why: string;
  err: unknown;
}

const failures = channel('parley:best-effort');

/**
 * What `work` gives, or undefined when it fails. `why` says for what reason that may fail without harm: it is what a reader
 * needs at this place, and what stands in the log at debug.
 */
export const bestEffort = <Result>(why: string, work: PromiseLike<Result> | undefined): Promise<Result | undefined> =>
  Promise.resolve(work).catch((err: unknown) => {
    if (failures.hasSubscribers) failures.publish({ why, err } satisfies FailedEffort);
    return undefined;
  });

/** Tells of every such failure in this process, until what is returned is called. */
export function onFailedEffort(tell: (failed: FailedEffort) => void): () => void {
  const listener = (message: unknown) => tell(message as FailedEffort);
  failures.subscribe(listener);
  return () => void failures.unsubscribe(listener);
}
