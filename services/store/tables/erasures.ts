import { first, one, type Queryable, sql } from '../sql.ts';

/** How many rows of each table an erasure took; jobs are those of graphile-worker. */
export interface ErasedRows {
  sessions: number;
  messages: number;
  tool_calls: number;
  presence: number;
  session_events: number;
  /** Of records since migration 0049. */
  session_words?: number;
  /** Of records since migration 0053. */
  calls?: number;
  idempotency_keys: number;
  deliveries: number;
  delivery_attempts: number;
  jobs: number;
}

export interface ErasureRow {
  session_id: string;
  agent: string;
  erased_at: Date;
  erased_by: string;
  erased_rows: ErasedRows;
}

/**
 * Deletes a session that has ended, and every row that is about it: its deliveries too, among them one that has outlived it and holds its
 * transcript. Returns what went, with the agent it was of; `agent` is null where nothing was there.
 */
export const deleteAllOf = (q: Queryable, session: string) =>
  one<ErasedRows & { agent: string | null }>(
    q,
    sql`
    with s as (delete from sessions where id = ${session} and status = 'ended' returning agent),
      m as (delete from messages where session_id = ${session} returning 1),
      t as (delete from tool_calls where session_id = ${session} returning 1),
      p as (delete from presence where session_id = ${session} returning 1),
      e as (delete from session_events where session_id = ${session} returning 1),
      w as (delete from session_words where session_id = ${session} returning 1),
      c as (delete from calls where session_id = ${session} returning 1),
      i as (delete from idempotency_keys where session_id = ${session} returning 1),
      owed as (
        select id from deliveries where session_id = ${session}
        union all
        select id from deliveries where session_id is null and event = 'conversation.finished'
          and body::jsonb #>> '{data,sessionId}' = ${session}
      ),
      a as (delete from delivery_attempts where delivery_id in (select id from owed) returning 1),
      d as (delete from deliveries where id in (select id from owed) returning agent),
      j as (select graphile_worker.remove_job(${`finish ${session}`}) as job)
    select coalesce((select agent from s), (select min(agent) from d)) as agent,
      (select count(*)::integer from s) as sessions, (select count(*)::integer from m) as messages,
      (select count(*)::integer from t) as tool_calls, (select count(*)::integer from p) as presence,
      (select count(*)::integer from e) as session_events, (select count(*)::integer from w) as session_words,
      (select count(*)::integer from c) as calls,
      (select count(*)::integer from i) as idempotency_keys,
      (select count(*)::integer from d) as deliveries, (select count(*)::integer from a) as delivery_attempts,
      (select count((job).id)::integer from j) as jobs`,
  );

/** Once a session: a second erasure leaves the first record as it is. */
export const insertErasure = (
  q: Queryable,
  tenant: string,
  { session_id, agent, erased_by, erased_rows }: Omit<ErasureRow, 'erased_at'>,
) =>
  first<ErasureRow>(
    q,
    sql`
    insert into erasures (tenant_id, session_id, agent, erased_by, erased_rows)
    values (${tenant}, ${session_id}, ${agent}, ${erased_by}, ${JSON.stringify(erased_rows)})
    on conflict do nothing returning *`,
  );

/** What is there although it was erased, whichever tenant's. */
export const locateErased = (q: Queryable) =>
  q.query<{ session_id: string; tenant_id: string }>(sql`select * from locate_erased()`);

export const findErasure = (q: Queryable, session: string) =>
  first<ErasureRow>(q, sql`select * from erasures where session_id = ${session}`);
