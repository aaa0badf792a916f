/** What a row of the benchmark is, and what it leaves behind. */

export interface Target {
  /** As the table shows it. */
  text: string;
  atLeast?: number;
  atMost?: number;
}

/** One measured thing. Several rounds are told by their median, least and most. */
export interface Figure {
  name: string;
  unit: string;
  value: number;
  least?: number;
  most?: number;
  /** One value a round, in their order. */
  rounds?: number[];
  target?: Target;
  met?: boolean;
}

export interface Measured {
  figures: Figure[];
  /** What a reader must know to judge the figures: sizes, rates, what was left out. */
  notes: string[];
}

export interface RowOptions {
  /** Alternating pairs, or rounds where there is no baseline. */
  pairs: number;
  /** Small sizes that only show that the row works; what comes out is no figure. */
  smoke: boolean;
  say(line: string): void;
}

export interface Row {
  name: string;
  title: string;
  against: string;
  /** The row is ended, and has failed, when it takes longer. */
  limitMinutes: number;
  /** Why the row cannot run here; absent when it can. */
  missing?(): Promise<string | undefined>;
  run(options: RowOptions): Promise<Measured>;
}

/** The file that a row leaves in bench/results. */
export interface RowResult extends Measured {
  row: string;
  title: string;
  against: string;
  at: string;
  tookSeconds: number;
  pairs: number;
  machine: Record<string, string | number>;
  versions: Record<string, string>;
  /** All that was counted, where the figures are sums of it. */
  runs?: readonly unknown[];
}

export function isMet(value: number, { atLeast, atMost }: Target): boolean {
  return (atLeast === undefined || value >= atLeast) && (atMost === undefined || value <= atMost);
}
