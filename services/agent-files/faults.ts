/** What is wrong with an agent's files, and where. */

export type Severity = 'error' | 'warning';

export interface Fault {
  /** Relative to the folder of agents, with forward slashes. */
  file: string;
  /** From 1. */
  line: number;
  /** From 1, in UTF-16 units. */
  column: number;
  /** Stable name of the rule, for filters; never shown alone. */
  rule: string;
  /** One plain sentence that says what would be right. */
  message: string;
  severity: Severity;
}

/** A fault that is not located yet: `path` leads to the part of the file that it is about. */
export interface Finding {
  /** Keys from the root; list positions as decimal numbers. */
  path: readonly string[];
  /** Whether to point at the part's name or at its value (the default). */
  at?: 'key' | 'value';
  /** A piece of the part's text to point at. */
  within?: string;
  rule: string;
  message: string;
  /** Default error. */
  severity?: Severity;
}

export const byPosition = (a: Fault, b: Fault): number =>
  compareTexts(a.file, b.file) || a.line - b.line || a.column - b.column || compareTexts(a.message, b.message);

export const isError = ({ severity }: Pick<Fault, 'severity'>): boolean => severity === 'error';

const compareTexts = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
