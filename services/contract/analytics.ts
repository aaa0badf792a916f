/** What `GET /api/tenants/:tenant/analytics` answers; times are ISO 8601 texts once they are JSON (`AsJson` in answers.ts). */
import type { EndReason } from './end-reasons.ts';
import type { Outcome, Sentiment } from './session.ts';

/** What a reply spends its time on, in milliseconds; `response` is all of it, as the person waits for it. */
export const latencyStages = [
  'response',
  'endpointing',
  'recognition',
  'firstToken',
  'firstSound',
  'playout',
  'tools',
] as const;
export type LatencyStage = (typeof latencyStages)[number];

/** What figures can be told apart by, and filtered by. */
export const analyticsDimensions = ['agent', 'version', 'channel', 'language', 'mode'] as const;
export type AnalyticsDimension = (typeof analyticsDimensions)[number];

export type AnalyticsBucket = 'hour' | 'day';

/**
 * A distribution, counted in fixed buckets, so that those of two hours or versions can be added. A percentile is read from the counts: its
 * true value lies in the same bucket.
 */
export interface Distribution {
  count: number;
  p50: number;
  p90: number;
  p95: number;
  p99: number;
  /** Those that are not empty. `upTo` is the bucket's upper bound, itself included; null: beyond the last bound. */
  buckets: { upTo: number | null; count: number }[];
}

/** Figures of conversations that somebody joined, and how many nobody did. */
export interface ConversationFigures {
  conversations: number;
  /** Nobody came, or no agent did. */
  unjoined: number;
  durationSeconds: number;
  billedSeconds: number;
  /** Ended by one of those who spoke, rather than by a limit, a failure or an operator. */
  completed: number;
  turns: number;
  /** Replies in which the person cut the agent short. */
  interrupted: number;
  tokens: number;
  outcomes: Record<Outcome, number>;
  sentiments: Record<Sentiment, number>;
  /** Those that occurred. */
  endReasons: Partial<Record<EndReason, number>>;
  /** In seconds; null where there was no conversation. */
  duration: Distribution | null;
  /** In milliseconds; null where nothing was measured. */
  latency: Record<LatencyStage, Distribution | null>;
}

export interface ToolFigures {
  tool: string;
  ok: number;
  failed: number;
  /** Its work had begun, and nobody knows what came of it: no answer in time, a broken connection, a host that died. */
  unknown: number;
  /** In milliseconds, of those that ended. */
  latency: Distribution | null;
}

/** Figures without the distributions that a chart over time or a list of shares has no room for. */
export type ShortFigures = Omit<ConversationFigures, 'duration' | 'latency' | 'endReasons'> & {
  /** In milliseconds. */
  response: Pick<Distribution, 'count' | 'p50' | 'p95'> | null;
};

export interface AnalyticsPoint extends ShortFigures {
  /** The beginning of the hour or day, in UTC. */
  at: Date;
}

export interface AnalyticsShare extends ShortFigures {
  /** The agent, channel, language or mode; of a version its first 12 digits. */
  name: string;
  /** Of a version: whose it is. */
  agent?: string;
}

export interface ComparedVersion extends ConversationFigures {
  version: string;
  tools: ToolFigures[];
}

export interface Analytics {
  /** Cut to whole hours or days. */
  from: Date;
  to: Date;
  bucket: AnalyticsBucket;
  totals: ConversationFigures;
  /** One for each hour or day, also for those in which nothing was. */
  series: AnalyticsPoint[];
  /** The largest first. */
  by: Record<AnalyticsDimension, AnalyticsShare[]>;
  tools: ToolFigures[];
  /** Two versions of the agent side by side, in the order asked for; `conversations` is the size of each sample. Null: none were asked for. */
  compared: ComparedVersion[] | null;
}
