import { one, type Queryable, sql } from '../sql.ts';

export interface SessionTotals {
  /** Sessions that are not over, of all tenants. */
  live: number;
  /** Live ones without an agent host. */
  waiting: number;
  /** Sessions of the last minute that ended because no agent host had room for them. */
  refused: number;
  /** Live ones that are spoken. */
  spoken: number;
}

export const sessionTotals = (q: Queryable) =>
  one<SessionTotals>(q, sql`select live, waiting, refused, spoken from count_sessions()`);
