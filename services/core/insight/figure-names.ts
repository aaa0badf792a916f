import { endReasons } from '../../contract/end-reasons.ts';
import { outcomes, sentiments } from '../../contract/session.ts';

/** Each about 1.4 times the one before: a percentile is right within that. */
export const latencyBoundsMs = [
  ...[10, 14, 20, 28, 40, 56, 80, 112, 160, 225, 320, 450, 640, 900, 1_280, 1_800, 2_560, 3_600, 5_120, 7_200],
  ...[10_240, 14_400, 20_480, 28_800, 60_000],
];
export const durationBoundsSeconds = [
  ...[5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 300, 420, 600, 900, 1_200, 1_800, 2_700, 3_600, 7_200],
];

/** The name of the bucket of `prefix` that the value falls into. */
export const bucketName = (prefix: string, value: number, bounds: readonly number[]): string =>
  `${prefix}.${bounds.find((bound) => value <= bound) ?? 'more'}`;

const buckets = (prefix: string, bounds: readonly number[]): string[] =>
  [...bounds, 'more'].map((bound) => `${prefix}.${bound}`);

/** What a chart over time or a list of shares is made from. */
const shortNames = [
  ...['conversations', 'unjoined', 'durationSeconds', 'billedSeconds', 'turns', 'interrupted', 'tokens'],
  ...outcomes.map((outcome) => `outcome.${outcome}`),
  ...sentiments.map((sentiment) => `sentiment.${sentiment}`),
  ...endReasons.map((reason) => `end.${reason}`),
  ...buckets('latency.response', latencyBoundsMs),
];

/**
 * What is counted of conversations, by place: a row of `rollups` has numbers only. Rows that are stored have these places, so that names are
 * added at the end and nowhere else (figure-names.test.ts).
 */
export const conversationNames: readonly string[] = [
  ...shortNames,
  ...buckets('duration', durationBoundsSeconds),
  ...['firstToken', 'tools', 'firstSound', 'endpointing', 'recognition', 'playout'].flatMap((stage) =>
    buckets(`latency.${stage}`, latencyBoundsMs),
  ),
];

/** So many of them are short. */
export const shortCount = shortNames.length;

/** The same of a tool. */
export const toolNames: readonly string[] = ['ok', 'failed', 'unknown', ...buckets('latency', latencyBoundsMs)];

const places = new Map(
  [conversationNames, toolNames].map((names) => [names, new Map(names.map((name, at) => [name, at]))]),
);

/** Numbers by place, without the zeros at their end. @throws Error for a name that has no place */
export function toPlaces(figures: Readonly<Record<string, number>>, names: readonly string[]): number[] {
  const placed: number[] = [];
  for (const [name, count] of Object.entries(figures)) {
    const at = places.get(names)?.get(name);
    if (at === undefined) throw new Error(`"${name}" is counted, and has no place among the figures`);
    while (placed.length <= at) placed.push(0);
    placed[at] = count;
  }
  return placed;
}

export const toNames = (placed: readonly number[], names: readonly string[]): Record<string, number> =>
  Object.fromEntries(placed.flatMap((count, at) => (names[at] === undefined ? [] : [[names[at], count]])));
