import { first, type Queryable, sql } from '../sql.ts';

export interface DeliveryRow {
  id: string;
  tenant_id: string;
  agent: string;
  /** Null for a test, and once retention has taken the session. */
  session_id: string | null;
  event: 'conversation.finished' | 'conversation.test';
  url: string;
  body: string;
  status: 'pending' | 'delivered' | 'failed' | 'disabled';
  attempts: number;
  next_attempt_at: Date;
  created_at: Date;
  finished_at: Date | null;
}

export interface AttemptRow {
  delivery_id: string;
  attempt: number;
  at: Date;
  duration_ms: number;
  status_code: number | null;
  error: string | null;
  response_excerpt: string | null;
  /** As they were sent; null where nothing was, and for attempts from before they were kept. */
  request_headers: Record<string, string> | null;
}

/** A session's `conversation.finished` exists once: a second insert changes nothing and returns undefined. */
export const insertDelivery = (
  q: Queryable,
  tenant: string,
  d: Pick<DeliveryRow, 'id' | 'agent' | 'session_id' | 'event' | 'url' | 'body'>,
) =>
  first<DeliveryRow>(
    q,
    sql`
    insert into deliveries (id, tenant_id, agent, session_id, event, url, body)
    values (${d.id}, ${tenant}, ${d.agent}, ${d.session_id}, ${d.event}, ${d.url}, ${d.body})
    on conflict do nothing returning *`,
  );

export const findDelivery = (q: Queryable, id: string) =>
  first<DeliveryRow>(q, sql`select * from deliveries where id = ${id}`);

export const lockDelivery = (q: Queryable, id: string) =>
  first<DeliveryRow>(q, sql`select * from deliveries where id = ${id} for update`);

/** Ids of an agent's deliveries that are due, the longest waiting first, without those that are under way. */
export const listDueDeliveries = (
  q: Queryable,
  { agent, underWay, limit }: { agent: string; underWay: readonly string[]; limit: number },
) =>
  q.query<Pick<DeliveryRow, 'id'>>(sql`
    select id from deliveries
    where agent = ${agent} and status = 'pending' and next_attempt_at <= now() and id <> all(${underWay}::uuid[])
    order by next_attempt_at limit ${limit}`);

/** When the next of an agent's deliveries is due, `waitMs` from now at the earliest; undefined when none waits. */
export const nextDueDelivery = (q: Queryable, { agent, waitMs }: { agent: string; waitMs: number }) =>
  first<{ at: Date }>(
    q,
    sql`
    select greatest(min(next_attempt_at), now() + ${waitMs} * interval '1 millisecond') as at
    from deliveries where agent = ${agent} and status = 'pending' having count(*) > 0`,
  );

/** Agents of all tenants whose deliveries have been due for a minute, at most `limit`. */
export const locateOverdue = (q: Queryable, limit: number) =>
  q.query<{ tenant_id: string; agent: string }>(sql`select * from locate_overdue_deliveries(${limit})`);

export const insertAttempt = (q: Queryable, tenant: string, a: Omit<AttemptRow, 'at'>) =>
  q.query(sql`
    insert into delivery_attempts (delivery_id, tenant_id, attempt, duration_ms, status_code, error, response_excerpt, request_headers)
    values (${a.delivery_id}, ${tenant}, ${a.attempt}, ${a.duration_ms}, ${a.status_code}, ${a.error}, ${a.response_excerpt},
      ${a.request_headers === null ? null : JSON.stringify(a.request_headers)})`);

export interface DeliveriesQuery {
  agent?: string | undefined;
  status?: string | undefined;
  event?: string | undefined;
  session?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  /** The last row of the page before. */
  after?: { position: string; id: string } | undefined;
  limit: number;
}

export interface ListedDelivery extends Omit<DeliveryRow, 'body'> {
  /** When it was made, as exactly as the database knows it: a page goes on from there. */
  position: string;
  last_status_code: number | null;
  last_error: string | null;
}

/** Deliveries of the transaction's tenant without what they say, the newest first, each with what came of its last attempt. */
export const listDeliveries = (q: Queryable, tenant: string, by: DeliveriesQuery) =>
  q.query<ListedDelivery>(sql`
    select d.id, d.tenant_id, d.agent, d.session_id, d.event, d.url, d.status, d.attempts, d.next_attempt_at, d.created_at, d.finished_at,
      d.created_at::text as position, a.status_code as last_status_code, a.error as last_error
    from deliveries d left join delivery_attempts a on a.delivery_id = d.id and a.attempt = d.attempts
    where d.tenant_id = ${tenant}
      and (${by.agent ?? null}::text is null or d.agent = ${by.agent ?? null})
      and (${by.status ?? null}::text is null or d.status = ${by.status ?? null})
      and (${by.event ?? null}::text is null or d.event = ${by.event ?? null})
      and (${by.session ?? null}::text is null or d.session_id = ${by.session ?? null})
      and d.created_at >= coalesce(${by.from ?? null}::timestamptz, '-infinity')
      and d.created_at < coalesce(${by.to ?? null}::timestamptz, 'infinity')
      and (${by.after?.id ?? null}::uuid is null
        or (d.created_at, d.id) < (${by.after?.position ?? null}::timestamptz, ${by.after?.id ?? null}::uuid))
    order by d.created_at desc, d.id desc limit ${by.limit}`);

export const listAttempts = (q: Queryable, delivery: string) =>
  q.query<AttemptRow>(sql`select * from delivery_attempts where delivery_id = ${delivery} order by attempt`);

export const settleDelivery = (
  q: Queryable,
  {
    id,
    status,
    attempts,
    nextAttemptAt,
  }: { id: string; status: DeliveryRow['status']; attempts: number; nextAttemptAt: Date | null },
) =>
  q.query(sql`
    update deliveries set status = ${status}, attempts = ${attempts}, next_attempt_at = coalesce(${nextAttemptAt}, next_attempt_at),
      finished_at = case when ${status} = 'pending' then null else clock_timestamp() end
    where id = ${id}`);
