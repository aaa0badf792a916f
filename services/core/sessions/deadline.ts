import type { CompiledLimits } from '../../agent-files/definition/compiled.ts';
import type { EndReason } from '../../contract/end-reasons.ts';
import type { PresenceRow } from '../../store/tables/presence.ts';
import { farewellSeconds, type SessionRow } from '../../store/tables/sessions.ts';

/** A running session whose agent has been away for this long is ended: nobody is there to talk to. */
const unattendedLimitMs = 60_000;
/** Nobody listens to a silent telephone for as long; a host that has room takes over within seconds. */
const silentLineMs = 20_000;

export interface Deadline {
  at: Date;
  reason: EndReason;
  /** When the session then counts as ended: the leave of the person, or the moment the limit was reached. */
  endsAt: Date;
}

type Timed = Pick<
  SessionRow,
  | 'status'
  | 'created_at'
  | 'started_at'
  | 'last_activity_at'
  | 'unattended_since'
  | 'agent_ready_at'
  | 'agent_due_at'
  | 'limit_reached_at'
  | 'channel'
>;

/**
 * The next moment at which a session must be looked at, and why it ends then if nothing has happened by that time.
 * Pure: the reaper, the joins and the leaves all ask here, so no two of them can disagree.
 */
export function nextDeadline(session: Timed, limits: CompiledLimits, presence: readonly PresenceRow[]): Deadline {
  const due = agentDueAt(session);
  const awaited: Deadline[] = due ? [{ at: due, reason: 'agent_unavailable', endsAt: due }] : [];
  if (session.status === 'created')
    return soonest([limit('never_joined', session.created_at, limits.joinTimeoutMs), ...awaited]);
  const started = session.started_at ?? session.created_at;
  const candidates = [...awaited, limit('max_duration', started, limits.maxDurationMs)];
  // Who waits for an agent is not idle.
  if (!due)
    candidates.push(
      limit('idle_timeout', later(session.last_activity_at, session.agent_ready_at), limits.idleTimeoutMs),
    );
  if (session.unattended_since && !due)
    candidates.push(limit('agent_unavailable', session.unattended_since, unattendedMost(session)));
  if (session.limit_reached_at)
    candidates.push(limit('tenant_limit', session.limit_reached_at, farewellSeconds * 1_000));
  const left = lastLeave(presence);
  if (left) candidates.push({ ...afterLeave(session, left, limits), endsAt: left });
  return soonest(candidates);
}

const unattendedMost = ({ channel }: Timed): number => (channel === 'phone' ? silentLineMs : unattendedLimitMs);

/** A telephone does not come back: its grace is for the room server, which may be away for a moment. */
const legGraceMs = 5_000;

function afterLeave({ channel }: Timed, left: Date, { reconnectGraceMs }: CompiledLimits): Deadline {
  return channel === 'phone'
    ? limit('call_ended', left, Math.min(legGraceMs, reconnectGraceMs))
    : limit('participant_left', left, reconnectGraceMs);
}

/** Until when a session waits for its first agent; undefined once that has come. */
export const agentDueAt = (session: Pick<SessionRow, 'agent_ready_at' | 'agent_due_at'>): Date | undefined =>
  session.agent_ready_at ? undefined : (session.agent_due_at ?? undefined);

const later = (one: Date, other: Date | null): Date => (other && other > one ? other : one);

const soonest = (deadlines: readonly Deadline[]): Deadline =>
  deadlines.reduce((first, next) => (next.at < first.at ? next : first));

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
