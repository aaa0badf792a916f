import { one, type Queryable, sql } from './sql.ts';

/** What minutes are made of is told by one clock, the database's: those of processes may be wrong. */
export const databaseNow = async (q: Queryable): Promise<Date> =>
  (await one<{ now: Date }>(q, sql`select clock_timestamp() as now`)).now;
