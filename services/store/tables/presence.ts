import type { PresenceRole } from '../../contract/session.ts';
import { type Queryable, sql } from '../sql.ts';

export interface PresenceRow {
  session_id: string;
  participant_sid: string;
  identity: string;
  role: PresenceRole;
  joined_at: Date;
  joined_by: string;
  left_at: Date | null;
  left_by: string | null;
  last_seen_at: Date;
}

/** `left_by` of agents whose host is gone, by proof of its death or because it gave everything away (release_host). */
export const leftWithHost = 'host_gone';

/** An interval begins; a second report of the same sid can only move the begin to an earlier time. */
export const upsertJoin = (
  q: Queryable,
  p: { tenant: string; session: string; sid: string; identity: string; role: PresenceRole; at: Date; source: string },
) =>
  q.query(sql`
    insert into presence (tenant_id, session_id, participant_sid, identity, role, joined_at, joined_by, last_seen_at)
    values (${p.tenant}, ${p.session}, ${p.sid}, ${p.identity}, ${p.role}, ${p.at}, ${p.source}, ${p.at})
    on conflict (session_id, participant_sid) do update set
      joined_by = case when excluded.joined_at < presence.joined_at then excluded.joined_by else presence.joined_by end,
      joined_at = least(presence.joined_at, excluded.joined_at)`);

/**
 * Somebody whose interval was closed is there at `at`, later than that: the close was wrong, and the interval goes on as if it had not
 * been. A host learns up to 3 s late who came (the room server batches such news), so its word never outweighs the room server's
 * own event of the leave, which is final for a sid. The room server lists the agents of a dead host for some 20 s more: only a host
 * outweighs the proof of its death.
 */
export const reopen = (q: Queryable, p: { session: string; sid: string; at: Date; source: string }) =>
  q.query(sql`
    update presence set left_at = null, left_by = null, last_seen_at = greatest(last_seen_at, ${p.at})
    where session_id = ${p.session} and participant_sid = ${p.sid} and left_at < ${p.at}
      and left_by <> case when ${p.source} = 'host' then 'room_event' else ${leftWithHost} end`);

/**
 * An interval ends. What the room server or a host saw is told after the fact, so the earliest is the nearest to it. The reconciler only
 * knows until when somebody was there: that is less than what others say, before and after it, the room server first of all.
 */
export const markLeft = (q: Queryable, p: { session: string; sid: string; at: Date; source: string }) =>
  q.query(sql`
    update presence set left_at = greatest(joined_at, ${p.at}), left_by = ${p.source}
    where session_id = ${p.session} and participant_sid = ${p.sid} and (left_at is null
      or (left_at > ${p.at} and ${p.source} <> 'reconciler') or (left_by = 'reconciler' and ${p.source} = 'room_event'))`);

export const listPresence = (q: Queryable, session: string) =>
  q.query<PresenceRow>(sql`select * from presence where session_id = ${session} order by joined_at, participant_sid`);

/** Every interval that is open ends, or of these only those that began before `joinedBefore`. */
export const closeAll = (
  q: Queryable,
  { session, at, source, joinedBefore }: { session: string; at: Date; source: string; joinedBefore?: Date },
) =>
  q.query(sql`
    update presence set left_at = greatest(joined_at, ${at}), left_by = ${source}
    where session_id = ${session} and left_at is null and (${joinedBefore ?? null}::timestamptz is null or joined_at < ${joinedBefore ?? null})`);

/**
 * Proof that those who are there are still there, for many sessions of any tenants in one statement: a crash can't add more
 * than the time between two proofs.
 */
export const markSessionsSeen = (q: Queryable, { sessions, at }: { sessions: readonly string[]; at: Date }) =>
  q.query(sql`select mark_sessions_seen(${sessions}, ${at})`);
