import type { CompiledLimits } from '../../contract/agents/compiled.ts';
import type { PresenceRow } from '../../store/tables/presence.ts';
import type { EndReason, SessionRow } from '../../store/tables/sessions.ts';

/** A running session whose agent has been away for this long is ended: nobody is there to talk to. */
const unattendedLimitMs = 60_000;

export interface Deadline {
  at: Date;
  reason: EndReason;
  /** When the session then counts as ended: the leave of the person, or the moment the limit was reached. */
  endsAt: Date;
}

type Timed = Pick<SessionRow, 'status' | 'created_at' | 'started_at' | 'last_activity_at' | 'unattended_since'>;

/**
 * The next moment at which a session must be looked at, and why it ends then if nothing has happened by that time.
 * Pure: the reaper, the joins and the leaves all ask here, so no two of them can disagree.
 */
export function nextDeadline(session: Timed, limits: CompiledLimits, presence: readonly PresenceRow[]): Deadline {
  if (session.status === 'created') return limit('never_joined', session.created_at, limits.joinTimeoutMs);
  const started = session.started_at ?? session.created_at;
  const candidates = [
    limit('max_duration', started, limits.maxDurationMs),
    limit('idle_timeout', session.last_activity_at, limits.idleTimeoutMs),
  ];
  if (session.unattended_since)
    candidates.push(limit('agent_unavailable', session.unattended_since, unattendedLimitMs));
  const left = lastLeave(presence);
  if (left) candidates.push({ ...limit('participant_left', left, limits.reconnectGraceMs), endsAt: left });
  return candidates.reduce((soonest, next) => (next.at < soonest.at ? next : soonest));
}

function limit(reason: EndReason, since: Date, ms: number): Deadline {
  const at = new Date(since.getTime() + ms);
  return { at, reason, endsAt: at };
}

/** When the last person left; undefined while somebody is there. */
function lastLeave(presence: readonly PresenceRow[]): Date | undefined {
  const persons = presence.filter((row) => row.role === 'person');
  if (persons.length === 0 || persons.some((row) => row.left_at === null)) return undefined;
  return persons.reduce<Date | undefined>(
    (latest, { left_at }) => (left_at && (!latest || left_at > latest) ? left_at : latest),
    undefined,
  );
}
