const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The waits between ten attempts: quick for a receiver that restarts, then patient; three days in all. */
const waitsMs = [
  5 * second,
  30 * second,
  2 * minute,
  10 * minute,
  30 * minute,
  2 * hour,
  6 * hour,
  18 * hour,
  45 * hour,
] as const;

export const maxAttempts = waitsMs.length + 1;

/**
 * How long to wait after attempt number `attempt` (from 1) failed; undefined after the last. `random` (0 to 1) spreads
 * receivers that failed together by a tenth to either side; `scale` shortens everything, for tests.
 */
export function waitAfterAttempt(
  attempt: number,
  { random, scale = 1 }: { random: number; scale?: number },
): number | undefined {
  const wait = waitsMs[attempt - 1];
  return wait === undefined ? undefined : Math.round(wait * scale * (0.9 + 0.2 * random));
}
