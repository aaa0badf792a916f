import {
  type ConversationFigures,
  type Distribution,
  latencyStages,
  type ShortFigures,
  type ToolFigures,
} from '../../contract/analytics.ts';
import { endReasons, ends } from '../../contract/end-reasons.ts';
import { outcomes, sentiments } from '../../contract/session.ts';
import { durationBoundsSeconds, latencyBoundsMs } from './figure-names.ts';

/** Whole numbers by name (figure-names.ts): what two rows say of one name is added. A bucket of a histogram is a name that ends with its bound. */
export type Figures = Readonly<Record<string, number>>;

const finishing = endReasons.filter((reason) => ends[reason].how === 'finished');

export function toShortFigures(figures: Figures): ShortFigures {
  const of = (name: string) => figures[name] ?? 0;
  const response = distribution(figures, 'latency.response', latencyBoundsMs);
  return {
    conversations: of('conversations'),
    unjoined: of('unjoined'),
    durationSeconds: of('durationSeconds'),
    billedSeconds: of('billedSeconds'),
    completed: finishing.reduce((sum, reason) => sum + of(`end.${reason}`), 0),
    turns: of('turns'),
    interrupted: of('interrupted'),
    tokens: of('tokens'),
    outcomes: counted(outcomes, (outcome) => of(`outcome.${outcome}`)),
    sentiments: counted(sentiments, (sentiment) => of(`sentiment.${sentiment}`)),
    response: response && { count: response.count, p50: response.p50, p95: response.p95 },
  };
}

export function toConversationFigures(figures: Figures): ConversationFigures {
  const { response: _, ...short } = toShortFigures(figures);
  const reasons = endReasons.filter((reason) => (figures[`end.${reason}`] ?? 0) > 0);
  return {
    ...short,
    endReasons: counted(reasons, (reason) => figures[`end.${reason}`] ?? 0),
    duration: distribution(figures, 'duration', durationBoundsSeconds),
    latency: counted(latencyStages, (stage) => distribution(figures, `latency.${stage}`, latencyBoundsMs)),
  };
}

export const toToolFigures = (tool: string, figures: Figures): ToolFigures => ({
  tool,
  ok: figures.ok ?? 0,
  failed: figures.failed ?? 0,
  unknown: figures.unknown ?? 0,
  latency: distribution(figures, 'latency', latencyBoundsMs),
});

const counted = <Name extends string, Value>(
  names: readonly Name[],
  value: (name: Name) => Value,
): Record<Name, Value> => Object.fromEntries(names.map((name) => [name, value(name)])) as Record<Name, Value>;

interface Bucket {
  /** The value that the bucket begins after. */
  from: number;
  upTo: number | null;
  count: number;
}

function distribution(figures: Figures, prefix: string, bounds: readonly number[]): Distribution | null {
  const buckets: Bucket[] = [...bounds, null]
    .map((upTo, index) => ({
      ...{ from: bounds[index - 1] ?? 0, upTo },
      count: figures[`${prefix}.${upTo ?? 'more'}`] ?? 0,
    }))
    .filter(({ count }) => count > 0);
  const count = buckets.reduce((sum, bucket) => sum + bucket.count, 0);
  if (count === 0) return null;
  const at = (share: number) => percentile(buckets, share * count);
  return {
    ...{ count, p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99) },
    buckets: buckets.map(({ upTo, count }) => ({ upTo, count })),
  };
}

/** The value of this rank, as if those of its bucket lay evenly in it; beyond the last bound nothing is known but that bound. */
function percentile(buckets: readonly Bucket[], rank: number): number {
  let below = 0;
  for (const { from, upTo, count } of buckets) {
    if (below + count >= rank) return Math.round(from + ((upTo ?? from) - from) * ((rank - below) / count));
    below += count;
  }
  return 0;
}
