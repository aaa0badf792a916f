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
  /** Refused ones that would have been spoken. */
  refused_spoken: number;
}

export const sessionTotals = (q: Queryable) =>
  one<SessionTotals>(q, sql`select live, waiting, refused, spoken, refused_spoken from count_sessions()`);

/** A spoken session was refused at once, for want of room: it leaves no row, and counts for a minute. */
export const countSpokenRefusal = (q: Queryable) => q.query(sql`select count_spoken_refusal()`);
