import type { EndReason } from '../../contract/session.ts';
import { bestEffort } from '../../process/best-effort.ts';
import type { Clock } from '../../process/clock.ts';
import type { Database, Tx } from '../../store/database.ts';
import { channels, type Notifier } from '../../store/notify.ts';
import { findVersion } from '../../store/tables/agents.ts';
import { recordEvent } from '../../store/tables/events.ts';
import { addJob } from '../../store/tables/jobs.ts';
import { closeAll, listPresence, type PresenceRow } from '../../store/tables/presence.ts';
import {
  findSession,
  forgetIdempotency,
  lockSession,
  markEnded,
  type SessionRow,
} from '../../store/tables/sessions.ts';
import { addUsage } from '../../store/tables/usage.ts';
import type { Rooms } from '../rooms/rooms.ts';
import { computeMinutes, type Interval } from './minutes.ts';

export interface EndDeps {
  db: Database;
  rooms: Pick<Rooms, 'close'>;
  notifier: Notifier;
  clock: Clock;
}

export interface Ended {
  sessionId: string;
  status: 'ended';
  endReason: EndReason;
  /** First join; null when nobody joined. */
  startedAt: Date | null;
  endedAt: Date;
  durationSeconds: number;
  billedSeconds: number;
}

interface EndRequest {
  tenant: string;
  session: string;
  reason: EndReason;
  /** Who ended it, for the evidence: `api`, `agent`, `reaper`, … */
  source: string;
  /** When it counts as ended; now unless the reason lies in the past (the leave of the person). */
  at?: Date;
}

/**
 * Ends a session once: state, figures, ledger and the job that tells the customer commit together; the room is closed
 * afterwards (and by the finish job, should this process die first). Ending an ended session changes nothing and answers
 * the same. Returns undefined when the tenant has no such session.
 */
export async function endSession(deps: EndDeps, request: EndRequest): Promise<Ended | undefined> {
  const result = await deps.db.asTenant(request.tenant, (tx) => end(tx, request, request.at ?? deps.clock.now()));
  if (!result) return undefined;
  if (result.now) await announce(deps, result.row);
  return toEnded(result.row);
}

/** Within a transaction of the caller's; the caller then calls `announceEnd`. */
async function end(
  tx: Tx,
  { tenant, session, reason, source }: EndRequest,
  at: Date,
): Promise<{ row: SessionRow; now: boolean } | undefined> {
  const row = await lockSession(tx, session);
  if (!row) return undefined;
  if (row.status === 'ended') return { row, now: false };
  const version = await findVersion(tx, row.agent, row.version_hash);
  const presence = await listPresence(tx, session);
  const endedAt = notBefore(at, presence, row);
  const minutes = computeMinutes({
    ...split(presence, endedAt),
    endedAt: endedAt.getTime(),
    reconnectGraceMs: version?.definition.limits.reconnectGraceMs ?? 0,
  });
  await closeAll(tx, { session, at: endedAt, source: 'end' });
  const ended = await markEnded(tx, {
    id: session,
    reason,
    at: endedAt,
    startedAt: minutes.startedAt === undefined ? null : new Date(minutes.startedAt),
    durationSeconds: minutes.durationSeconds,
    billedSeconds: minutes.billedSeconds,
  });
  if (!ended) return undefined;
  await addUsage(tx, { tenant, agent: row.agent, at: endedAt, billedSeconds: minutes.billedSeconds });
  await recordEvent(tx, { tenant, session, at: endedAt, kind: 'ended', source, data: { reason } });
  await addJob(tx, 'finish_session', { tenant, session }, { key: `finish ${session}` });
  return { row: ended, now: true };
}

/** A session can't have ended before it was created or before somebody joined it. */
function notBefore(at: Date, presence: readonly PresenceRow[], row: SessionRow): Date {
  const joins = presence.filter(({ role }) => role === 'person').map(({ joined_at }) => joined_at.getTime());
  return new Date(Math.max(at.getTime(), row.created_at.getTime(), ...joins.slice(0, 1)));
}

function split(presence: readonly PresenceRow[], endedAt: Date): { person: Interval[]; agent: Interval[] } {
  const intervals = (role: PresenceRow['role']) =>
    presence
      .filter((row) => row.role === role)
      .map((row) => ({ from: row.joined_at.getTime(), to: (row.left_at ?? endedAt).getTime() }));
  return { person: intervals('person'), agent: intervals('agent') };
}

async function announce(
  { notifier, rooms }: Pick<EndDeps, 'notifier' | 'rooms'>,
  { id, room_name, host_id, started_at }: SessionRow,
): Promise<void> {
  notifier.tell(channels.session, `ended ${id}`);
  // The host says its last line and hands in the transcript before the room goes; without a host, or a person, nobody is waited for.
  if (host_id === null || started_at === null) await bestEffort('the finish job closes it too', rooms.close(room_name));
}

function toEnded(row: SessionRow): Ended {
  return {
    sessionId: row.id,
    status: 'ended',
    endReason: row.end_reason as EndReason,
    startedAt: row.started_at,
    endedAt: row.ended_at as Date,
    durationSeconds: row.duration_seconds ?? 0,
    billedSeconds: row.billed_seconds ?? 0,
  };
}

/** A session that was refused to its caller, because no agent came: ended, and its Idempotency-Key may be used again. False when the agent came after all. */
export async function abandonSession(deps: EndDeps, tenant: string, session: string): Promise<boolean> {
  const result = await deps.db.asTenant(tenant, async (tx) => {
    const row = await lockSession(tx, session);
    if (!row || row.agent_ready_at !== null) return undefined;
    await forgetIdempotency(tx, session);
    return end(tx, { tenant, session, reason: 'agent_unavailable', source: 'api' }, deps.clock.now());
  });
  if (result?.now) await announce(deps, result.row);
  return result !== undefined;
}

/** A session of the caller's own agent, or undefined. */
export async function readOwnSession(
  db: Database,
  { tenant, agent }: { tenant: string; agent: string },
  id: string,
): Promise<SessionRow | undefined> {
  const row = await db.asTenant(tenant, (tx) => findSession(tx, id));
  return row?.agent === agent ? row : undefined;
}
