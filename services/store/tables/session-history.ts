import type { EndReason } from '../../contract/end-reasons.ts';
import type { Channel, InteractionMode, Outcome, Sentiment, SessionStatus } from '../../contract/session.ts';
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
  tool_failed: boolean | null;
  test: boolean;
  /** When it was created, as exactly as the database knows it: a page goes on from there. */
  position: string;
}

/** What a session must be to be listed; what is left out does not matter. */
export interface HistoryFilters {
  agent?: string | undefined;
  /** Hashes, one of which it must be. */
  versions?: readonly string[] | undefined;
  channel?: string | undefined;
  mode?: string | undefined;
  status?: string | undefined;
  outcome?: string | undefined;
  sentiment?: string | undefined;
  endReason?: string | undefined;
  toolFailed?: boolean | undefined;
  test?: boolean | undefined;
  /** When it was created: `from` included, `to` not. */
  from?: string | undefined;
  to?: string | undefined;
}

export interface HistoryQuery extends HistoryFilters {
  /** The last row of the page before. */
  after?: { position: string; id: string } | undefined;
  /** Of these only. */
  ids?: readonly string[] | undefined;
  limit: number;
}

/** Sessions of the transaction's tenant, the newest first. The inner query is answered by the index sessions_page alone. */
export const listHistory = (q: Queryable, tenant: string, by: HistoryQuery) =>
  q.query<HistoryRow>(sql`
    select id, agent, version_hash, status, end_reason, channel, interaction_mode, language, created_at, started_at, ended_at,
      duration_seconds, billed_seconds, turns, summary, outcome, sentiment, tool_failed, test, created_at::text as position
    from sessions where tenant_id = ${tenant} and id in (
      select id from sessions
      where tenant_id = ${tenant}
        and (${by.agent ?? null}::text is null or agent = ${by.agent ?? null})
        and (${by.versions ?? null}::text[] is null or version_hash = any (${by.versions ?? null}))
        and (${by.channel ?? null}::text is null or channel = ${by.channel ?? null})
        and (${by.mode ?? null}::text is null or interaction_mode = ${by.mode ?? null})
        and (${by.status ?? null}::text is null or status = ${by.status ?? null})
        and (${by.outcome ?? null}::text is null or outcome = ${by.outcome ?? null})
        and (${by.sentiment ?? null}::text is null or sentiment = ${by.sentiment ?? null})
        and (${by.endReason ?? null}::text is null or end_reason = ${by.endReason ?? null})
        and (${by.toolFailed ?? null}::boolean is null or tool_failed = ${by.toolFailed ?? null})
        and (${by.test ?? null}::boolean is null or test = ${by.test ?? null})
        and (${by.ids ?? null}::text[] is null or id = any (${by.ids ?? null}))
        and created_at >= coalesce(${by.from ?? null}::timestamptz, '-infinity')
        and created_at < coalesce(${by.to ?? null}::timestamptz, 'infinity')
        and (${by.after?.id ?? null}::text is null
          or (created_at, id) < (${by.after?.position ?? null}::timestamptz, ${by.after?.id ?? null}))
      order by created_at desc, id desc limit ${by.limit})
    order by created_at desc, id desc`);
