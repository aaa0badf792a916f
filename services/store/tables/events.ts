import { type Queryable, sql } from '../sql.ts';

export interface SessionEventRow {
  id: number;
  at: Date;
  recorded_at: Date;
  kind: string;
  source: string;
  data: Record<string, unknown>;
}

/** The evidence that a session's figures were computed from. Never what was said. */
export const recordEvent = (
  q: Queryable,
  e: { tenant: string; session: string; at: Date; kind: string; source: string; data?: Record<string, unknown> },
) =>
  q.query(sql`
    insert into session_events (tenant_id, session_id, at, kind, source, data)
    values (${e.tenant}, ${e.session}, ${e.at}, ${e.kind}, ${e.source}, ${JSON.stringify(e.data ?? {})})`);

export const listEvents = (q: Queryable, session: string) =>
  q.query<SessionEventRow>(
    sql`select id, at, recorded_at, kind, source, data from session_events where session_id = ${session} order by id`,
  );
