import { one, type Queryable, sql } from '../sql.ts';

/** What is counted, and up to which number. */
export interface AttemptLimit {
  key: Buffer;
  most: number;
  windowMs: number;
}

export interface CountedAttempt {
  /** By how many of the limits it was counted: all of them, unless one is reached. */
  counted: number;
  /** When the limit that is reached is over; null where none is. */
  secondsLeft: number | null;
}

/**
 * Counts one more by each limit in turn, before its password is looked at, up to the first that is reached. In one statement, so that it is counted
 * or it is not, whatever becomes of the connection: of a thousand at once as many are looked at as the limits permit, neither more nor fewer.
 */
export const countAttempt = (q: Queryable, limits: readonly AttemptLimit[]): Promise<CountedAttempt> =>
  one(q, {
    text: `
      with ${limits.map((_, nth) => countedBy(nth)).join(', ')},
      counted as (select ${limits.map((_, nth) => `(select count(*)::integer from limit_${nth})`).join(' + ')} as counted)
      select counted, case when counted < ${limits.length} then coalesce(
        -- As the statement found it: one that was reached in this very moment may be asked again soon.
        (select greatest(1, ceil(extract(epoch from until - clock_timestamp())))::integer from people.attempts
          where key = (array[${limits.map((_, nth) => parameters(nth).key).join(', ')}])[counted + 1]), 1) end as "secondsLeft"
      from counted`,
    values: limits.flatMap(({ key, most, windowMs }) => [key, most, windowMs]),
  });

const parameters = (nth: number) => ({
  key: `$${3 * nth + 1}::bytea`,
  most: `$${3 * nth + 2}::integer`,
  window: `$${3 * nth + 3}::integer * interval '1 millisecond'`,
});

/** No row where the limit is reached, or one before it. */
function countedBy(nth: number): string {
  const { key, most, window } = parameters(nth);
  return `limit_${nth} as (
    insert into people.attempts as a (key, failed, until)
    select ${key}, 1, clock_timestamp() + ${window} ${nth === 0 ? '' : `from limit_${nth - 1}`}
    on conflict (key) do update set
      failed = case when a.until < clock_timestamp() then 1 else a.failed + 1 end,
      until = case when a.until < clock_timestamp() then excluded.until else a.until end
    where a.failed < ${most} or a.until < clock_timestamp()
    returning 1)`;
}

/** It was none: the password was right. Locked in the order in which they are counted, so that no two wait for each other. */
export const takeBackAttempts = (q: Queryable, keys: readonly Buffer[]) =>
  q.query(sql`
    with locked as (
      select key from people.attempts where key = any (${keys}) order by array_position(${keys}::bytea[], key) for update
    )
    update people.attempts set failed = greatest(0, failed - 1) where key in (select key from locked)`);

export const forgetAttempts = (q: Queryable, key: Buffer) =>
  q.query(sql`delete from people.attempts where key = ${key}`);

export const forgetOldAttempts = (q: Queryable) =>
  q.query(sql`delete from people.attempts where until < clock_timestamp()`);
