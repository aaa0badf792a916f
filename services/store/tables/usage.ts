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
