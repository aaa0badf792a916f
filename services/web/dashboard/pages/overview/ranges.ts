import type { AnalyticsBucket } from '../../../../contract/analytics.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** How far back the overview looks. The last bucket is the one that goes on. */
export const ranges = {
  '24h': { bucket: 'hour', lengthMs: dayMs },
  '7d': { bucket: 'day', lengthMs: 7 * dayMs },
  '30d': { bucket: 'day', lengthMs: 30 * dayMs },
  '90d': { bucket: 'day', lengthMs: 90 * dayMs },
} as const satisfies Record<string, { bucket: AnalyticsBucket; lengthMs: number }>;

export type Range = keyof typeof ranges;
export const usualRange: Range = '7d';

export const rangeIn = (text: string | undefined): Range =>
  text !== undefined && Object.hasOwn(ranges, text) ? (text as Range) : usualRange;

/** What analytics is asked for: whole buckets, so that the question stays the same within one. @param now in milliseconds since 1970 */
export function askedFor(range: Range, now: number): { bucket: AnalyticsBucket; from: string; to: string } {
  const { bucket, lengthMs } = ranges[range];
  const bucketMs = bucket === 'hour' ? hourMs : dayMs;
  const to = (Math.floor(now / bucketMs) + 1) * bucketMs;
  return { bucket, from: new Date(to - lengthMs).toISOString(), to: new Date(to).toISOString() };
}
