import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits for `ms`.
 * @throws AbortError as soon as `signal` fires
 */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  delay(ms, undefined, signal ? { signal } : {});

/** Waits for `ms`, or until `signal` fires: for loops that look at it anyway. */
export const sleepOrStop = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
