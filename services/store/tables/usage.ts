import { one, type Queryable, sql } from '../sql.ts';

/** Adds a finished session to the ledger, on the UTC day it ended. */
export const addUsage = (q: Queryable, u: { tenant: string; agent: string; at: Date; billedSeconds: number }) =>
  q.query(sql`
    insert into agent_usage (tenant_id, agent, day, sessions, billed_seconds)
    values (${u.tenant}, ${u.agent}, (${u.at}::timestamptz at time zone 'UTC')::date, 1, ${u.billedSeconds})
    on conflict (tenant_id, agent, day) do update set
      sessions = agent_usage.sessions + 1, billed_seconds = agent_usage.billed_seconds + excluded.billed_seconds`);

/** Adds a finished session to what its visitor has used on the UTC day it ended. */
export const addVisitorUsage = (
  q: Queryable,
  u: { tenant: string; visitor: Buffer; at: Date; billedSeconds: number },
) =>
  q.query(sql`
    insert into visitor_usage as v (tenant_id, visitor, day, billed_seconds)
    values (${u.tenant}, ${u.visitor}, (${u.at}::timestamptz at time zone 'UTC')::date, ${u.billedSeconds})
    on conflict (tenant_id, visitor, day) do update set billed_seconds = v.billed_seconds + excluded.billed_seconds`);

/** Tokens are counted as they are used, on the current UTC day. Returns the day's total. */
export const addTokens = async (q: Queryable, u: { tenant: string; agent: string; tokens: number }) =>
  (
    await one<{ tokens: number }>(
      q,
      sql`
    insert into agent_usage (tenant_id, agent, day, tokens)
    values (${u.tenant}, ${u.agent}, (clock_timestamp() at time zone 'UTC')::date, ${u.tokens})
    on conflict (tenant_id, agent, day) do update set tokens = agent_usage.tokens + excluded.tokens returning tokens`,
    )
  ).tokens;

/** What counts against the caps of an agent (or, without one, the tenant): tokens and billed seconds today, billed seconds this month, UTC. */
export const usageNow = (q: Queryable, agent: string | null) =>
  one<{ tokens_today: number; billed_seconds_today: number; billed_seconds_month: number }>(
    q,
    sql`
    select coalesce(sum(tokens) filter (where day = (clock_timestamp() at time zone 'UTC')::date), 0)::bigint as tokens_today,
      coalesce(sum(billed_seconds) filter (where day = (clock_timestamp() at time zone 'UTC')::date), 0)::bigint as billed_seconds_today,
      coalesce(sum(billed_seconds), 0)::bigint as billed_seconds_month
    from agent_usage
    where day >= date_trunc('month', clock_timestamp() at time zone 'UTC')::date and (${agent}::text is null or agent = ${agent})`,
  );
