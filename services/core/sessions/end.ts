import type { CompiledLimits } from '../../agent-files/definition/compiled.ts';
import type { EndReason } from '../../contract/end-reasons.ts';
import { bestEffort } from '../../process/best-effort.ts';
import type { Database, Tx } from '../../store/database.ts';
import { databaseNow } from '../../store/database-time.ts';
import { channels, type Notifier } from '../../store/notify.ts';
import { sql } from '../../store/sql.ts';
import { findLimits } from '../../store/tables/agents.ts';
import { recordEvent } from '../../store/tables/events.ts';
import { addJob } from '../../store/tables/jobs.ts';
import { closeAll, listPresence, type PresenceRow } from '../../store/tables/presence.ts';
import {
  findSession,
  forgetIdempotency,
  lockSession,
  lockSessionUnlessBusy,
  markEnded,
  type SessionRow,
} from '../../store/tables/sessions.ts';
import { addUsage, addVisitorUsage } from '../../store/tables/usage.ts';
import type { Rooms } from '../rooms/rooms.ts';
import { closeCallOf } from '../telephony/close-call.ts';
import { isLeftAlone } from '../telephony/left-alone.ts';
import { computeMinutes, type Interval } from './minutes.ts';

export interface EndDeps {
  db: Database;
  rooms: Pick<Rooms, 'close'>;
  notifier: Notifier;
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

/** Which session, and who ends it, for the evidence: `api`, `agent`, `reaper`, … */
interface Which {
  tenant: string;
  session: string;
  source: string;
  /** Commits with the end, if it ends now. */
  along?: ((tx: Tx) => Promise<unknown>) | undefined;
}

export interface Verdict {
  reason: EndReason;
  /** When it counts as ended; now unless the reason lies in the past (the leave of the person). */
  at?: Date | undefined;
}

/** A live session whose row is locked: nothing of this changes before the verdict is written. */
export interface Judged {
  session: SessionRow;
  /** Undefined when its version is gone. */
  limits: CompiledLimits | undefined;
  presence: readonly PresenceRow[];
  /** By the database's clock. */
  now: Date;
}

/** Undefined when the session goes on. */
export type Judge = (tx: Tx, judged: Judged) => Promise<Verdict | undefined>;

/**
 * Ends a session once: state, figures, ledger and the job that tells the customer commit together; the room is closed
 * afterwards (and by the finish job, should this process die first). Ending an ended session changes nothing and answers
 * the same. Returns undefined when the tenant has no such session.
 */
export async function endSession(deps: EndDeps, { reason, at, ...which }: Which & Verdict): Promise<Ended | undefined> {
  const result = await deps.db.asTenant(which.tenant, (tx) => end(tx, which, async () => ({ reason, at })));
  if (!result) return undefined;
  if (result.now) await announce(deps, result.row);
  return toEnded(result.row);
}

/** As a host ends it: false when the session is another host's by now, and goes on. */
export async function endUnderLease(
  deps: EndDeps,
  { reason, epoch, ...which }: Which & { reason: EndReason; epoch: number },
): Promise<boolean> {
  let isOurs = true;
  const judge: Judge = async (_, { session }) => {
    isOurs = session.epoch === epoch;
    return isOurs ? { reason } : undefined;
  };
  const result = await deps.db.asTenant(which.tenant, (tx) => end(tx, which, judge));
  if (result?.now) await announce(deps, result.row);
  return isOurs;
}

/**
 * Ends a session if `judge` says so, who is asked in the transaction that ends it: nobody comes back in between. One that somebody else
 * is at is left for the next look. Returns the reason if it ended now.
 */
export async function endIfDue(deps: EndDeps, which: Which, judge: Judge): Promise<EndReason | undefined> {
  const result = await deps.db.asTenant(which.tenant, async (tx) => {
    await tx.query(sql`set local lock_timeout = 1000`);
    return end(tx, which, judge, lockSessionUnlessBusy);
  });
  if (!result?.now) return undefined;
  await announce(deps, result.row);
  return result.row.end_reason ?? undefined;
}

/** Ends a session if `judge` says so, who is asked in the transaction that ends it; waits for whoever is at it. True if it ended now. */
export async function endAsJudged(deps: EndDeps, which: Which, judge: Judge): Promise<boolean> {
  const result = await deps.db.asTenant(which.tenant, (tx) => end(tx, which, judge));
  if (result?.now) await announce(deps, result.row);
  return result?.now ?? false;
}

/** Within a transaction of the caller's, who then announces it. */
async function end(
  tx: Tx,
  { tenant, session, source, along }: Which,
  judge: Judge,
  lock = lockSession,
): Promise<{ row: SessionRow; now: boolean } | undefined> {
  const row = await lock(tx, session);
  if (!row) return undefined;
  if (row.status === 'ended') return { row, now: false };
  const judged = await readJudged(tx, row);
  const verdict = await judge(tx, judged);
  if (!verdict) return undefined;
  const { reason } = verdict;
  const { presence } = judged;
  const at = notBefore(verdict.at ?? judged.now, presence, row);
  const { startedAt, durationSeconds, billedSeconds } = computeMinutes({
    ...split(presence, at),
    endedAt: at.getTime(),
    reconnectGraceMs: judged.limits?.reconnectGraceMs ?? 0,
  });
  const minutes = { durationSeconds, billedSeconds: row.test ? 0 : billedSeconds };
  await closeAll(tx, { session, at, source: 'end' });
  const first = startedAt === undefined ? null : new Date(startedAt);
  const ended = await markEnded(tx, { id: session, reason, at, startedAt: first, ...minutes });
  if (!ended) return undefined;
  if (!row.test) await bill(tx, ended);
  await recordEvent(tx, { tenant, session, at, kind: 'ended', source, data: { reason } });
  await addJob(tx, 'finish_session', { tenant, session }, { key: `finish ${session}` });
  await along?.(tx);
  if (ended.channel === 'phone') await closeCallOf(tx, ended, at);
  return { row: ended, now: true };
}

async function bill(tx: Tx, { agent, visitor, ended_at, billed_seconds }: SessionRow): Promise<void> {
  const usage = { tenant: tx.tenant, at: ended_at ?? new Date(), billedSeconds: billed_seconds ?? 0 };
  // The visitor's first, as tool calls are counted: no two wait for each other.
  if (visitor) await addVisitorUsage(tx, { ...usage, visitor });
  await addUsage(tx, { ...usage, agent });
}

async function readJudged(tx: Tx, session: SessionRow): Promise<Judged> {
  const limits = await findLimits(tx, session.agent, session.version_hash);
  const presence = await listPresence(tx, session.id);
  // Asked after the row was locked: who waited for it judges by the time at which it has it.
  return { session, limits, presence, now: await databaseNow(tx) };
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

async function announce({ notifier, rooms }: Pick<EndDeps, 'notifier' | 'rooms'>, session: SessionRow): Promise<void> {
  const { id, room_name, host_id, started_at } = session;
  notifier.tell(channels.session, `ended ${id}`);
  // The finish job has another host say so to them, which then hangs up.
  if (isLeftAlone(session)) return;
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
    return end(tx, { tenant, session, source: 'api' }, async () => ({ reason: 'agent_unavailable' }));
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
