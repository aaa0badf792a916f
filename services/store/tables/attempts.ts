import { one, type Queryable, sql } from '../sql.ts';

export interface Attempts {
  failed: number;
  /** When they are forgotten. */
  secondsLeft: number;
}

/** Counts one more, before its password is looked at: of a thousand at once each has a number of its own. */
export const countAttempt = (q: Queryable, { key, windowMs }: { key: Buffer; windowMs: number }) =>
  one<Attempts>(
    q,
    sql`
    insert into people.attempts as a (key, failed, until)
    values (${key}, 1, clock_timestamp() + ${windowMs} * interval '1 millisecond')
    on conflict (key) do update set
      failed = case when a.until < clock_timestamp() then 1 else a.failed + 1 end,
      until = case when a.until < clock_timestamp() then excluded.until else a.until end
    returning failed, ceil(extract(epoch from until - clock_timestamp()))::integer as "secondsLeft"`,
  );

/** It was none: the password was right. */
export const takeBackAttempts = (q: Queryable, keys: readonly Buffer[]) =>
  q.query(sql`update people.attempts set failed = greatest(0, failed - 1) where key = any (${keys})`);

export const forgetAttempts = (q: Queryable, key: Buffer) =>
  q.query(sql`delete from people.attempts where key = ${key}`);

export const forgetOldAttempts = (q: Queryable) =>
  q.query(sql`delete from people.attempts where until < clock_timestamp()`);
