import type { Channel, EndReason, InteractionMode, Outcome, Sentiment, SessionStatus } from '../../contract/session.ts';
import { type Queryable, sql } from '../sql.ts';

export interface HistoryRow {
  id: string;
  agent: string;
  version_hash: string;
  status: SessionStatus;
  end_reason: EndReason | null;
  channel: Channel;
  interaction_mode: InteractionMode;
  language: string;
  created_at: Date;
  started_at: Date | null;
  ended_at: Date | null;
  duration_seconds: number | null;
  billed_seconds: number | null;
  turns: number;
  summary: string | null;
  outcome: Outcome | null;
  sentiment: Sentiment | null;
  /** When it was created, as exactly as the database knows it: a page goes on from there. */
  place: string;
}

export interface HistoryQuery {
  agent?: string | undefined;
  status?: string | undefined;
  channel?: string | undefined;
  outcome?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  /** The last row of the page before. */
  after?: { place: string; id: string } | undefined;
  limit: number;
}

/** Sessions of the transaction's tenant, the newest first. */
export const listHistory = (q: Queryable, tenant: string, by: HistoryQuery) =>
  q.query<HistoryRow>(sql`
    select id, agent, version_hash, status, end_reason, channel, interaction_mode, language, created_at, started_at, ended_at,
      duration_seconds, billed_seconds, turns, summary, outcome, sentiment, created_at::text as place
    from sessions
    where tenant_id = ${tenant}
      and (${by.agent ?? null}::text is null or agent = ${by.agent ?? null})
      and (${by.status ?? null}::text is null or status = ${by.status ?? null})
      and (${by.channel ?? null}::text is null or channel = ${by.channel ?? null})
      and (${by.outcome ?? null}::text is null or outcome = ${by.outcome ?? null})
      and created_at >= coalesce(${by.from ?? null}::timestamptz, '-infinity')
      and created_at < coalesce(${by.to ?? null}::timestamptz, 'infinity')
      and (${by.after?.id ?? null}::text is null
        or (created_at, id) < (${by.after?.place ?? null}::timestamptz, ${by.after?.id ?? null}))
    order by created_at desc, id desc limit ${by.limit}`);
