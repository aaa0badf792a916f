import { prepared, type Queryable } from '../sql.ts';

/** What one worker does for all. */
export type SharedWork = 'rooms' | 'bridge' | 'calls';

/** More than three looks of whoever leads (services/worker/watches.ts): one that stood still for longer has lost the lead. */
const heldForMs = 10_000;

/**
 * Whether this worker leads: it did, or nobody does. The lead passes on at once when the process that had it is gone, which its lock says,
 * and after 10 s by the database's clock when it stands still with its lock. For a moment two may believe that they lead.
 */
export const takeLead = async (q: Queryable, { work, lockKey }: { work: SharedWork; lockKey: number }) =>
  (
    await q.query(prepared('take-lead')`
      insert into leads as l (work, holder, held_until)
      values (${work}, ${lockKey}, clock_timestamp() + ${heldForMs} * interval '1 millisecond')
      on conflict (work) do update set holder = excluded.holder, held_until = excluded.held_until
      where l.holder = excluded.holder or l.held_until < clock_timestamp() or not exists (
        select from pg_locks p where p.locktype = 'advisory' and p.granted and p.objsubid = 1 and p.mode = 'ExclusiveLock'
          and p.database = (select oid from pg_database where datname = current_database())
          and ((p.classid::bigint << 32) | p.objid::bigint) = l.holder)
      returning 1`)
  ).length > 0;
