import type { AnalyticsBucket } from '../../../contract/analytics.ts';

export interface ChartLine {
  name: string;
  kind: 'bars' | 'line' | 'faint';
  values: (number | null)[];
}

/** What a chart of values over time is given, drawn or as a table. */
export interface ChartProps {
  bucket: AnalyticsBucket;
  /** In seconds since 1970, each bucket's beginning. */
  at: number[];
  lines: ChartLine[];
  /** A value with its unit. */
  tell(value: number): string;
}
