import type { PresenceRole, SessionStatus } from '../../contract/session.ts';
import type { Database, Tx } from '../../store/database.ts';
import { channels, type Notifier } from '../../store/notify.ts';
import { findLimits } from '../../store/tables/agents.ts';
import { markCallAnswered } from '../../store/tables/calls.ts';
import { recordEvent } from '../../store/tables/events.ts';
import { closeAll, listPresence, markLeft, reopen, upsertJoin } from '../../store/tables/presence.ts';
import {
  locateRoom,
  lockSession,
  markAgentReady,
  markAttended,
  markDeserted,
  markRunning,
  moveStart,
  type SessionRow,
  setDeadline,
} from '../../store/tables/sessions.ts';
import { nextDeadline } from '../sessions/deadline.ts';

export interface PresenceDeps {
  db: Database;
  notifier: Notifier;
}

/**
 * What somebody saw: the room server's event, the agent host, or the reconciler. All are hints; the earliest report of a fact wins, and
 * who is seen after a leave has not left.
 */
export interface Sighting {
  room: string;
  sid: string;
  identity: string;
  role: PresenceRole;
  source: 'room_event' | 'host' | 'reconciler';
  at: Date;
  /** By telephone: whoever leaves without having been put through was never there. */
  isLeg?: boolean;
  /** Of the lease by which a host saw it: a host that has been replaced is not believed. */
  epoch?: number;
}

/** Whose a room is in which somebody was seen. `over`: its session has ended, and the host that held it has left. */
export type RoomStanding = 'unknown' | 'held' | 'over';

/** The participant joined. Unknown rooms are nobody's business here. */
export async function reportJoined(deps: PresenceDeps, sighting: Sighting): Promise<RoomStanding> {
  return onSession(deps, sighting, 'joined', async (tx, session) => {
    const { id } = session;
    await upsertJoin(tx, { tenant: session.tenant_id, session: id, ...sighting });
    await reopen(tx, { session: id, ...sighting });
    if (sighting.role === 'agent') return markAttended(tx, id);
    await markRunning(tx, { id, at: sighting.at });
    if (session.channel === 'phone') await markCallAnswered(tx, { session: id, at: sighting.at });
    return moveStart(tx, { id, at: sighting.at });
  });
}

/** The participant left; reports may come before that of the join. */
export async function reportLeft(deps: PresenceDeps, sighting: Sighting & { joinedAt?: Date }): Promise<RoomStanding> {
  return onSession(deps, sighting, 'left', async (tx, session) => {
    if (!sighting.isLeg) await sawUntilNow(tx, session, sighting);
    await markLeft(tx, { session: session.id, sid: sighting.sid, at: sighting.at, source: sighting.source });
  });
}

/** Nobody may have seen them come. */
async function sawUntilNow(tx: Tx, session: SessionRow, sighting: Sighting & { joinedAt?: Date }): Promise<void> {
  const joined = sighting.joinedAt ?? sighting.at;
  await upsertJoin(tx, { tenant: session.tenant_id, session: session.id, ...sighting, at: joined });
  if (sighting.role === 'person') await markRunning(tx, { id: session.id, at: joined });
}

/**
 * The agent is in the room and hears. An agent that waited in a warm room joined before there was a session that the room
 * server's event could belong to, so its host says it; minutes without an agent are not billed. Answers the session's
 * state; undefined when it ended or another host has taken over.
 */
export async function reportAgentReady(
  { db }: Pick<PresenceDeps, 'db'>,
  lease: { tenant_id: string; session_id: string; epoch: number },
  { sid, identity, at }: Pick<Sighting, 'sid' | 'identity' | 'at'>,
): Promise<SessionStatus | undefined> {
  const { tenant_id: tenant, session_id: session, epoch } = lease;
  return db.asTenant(tenant, async (tx) => {
    const status = await markAgentReady(tx, { session, epoch });
    if (!status) return undefined;
    const data = { sid, identity, role: 'agent' as const };
    await upsertJoin(tx, { tenant, session, ...data, at, source: 'host' });
    await reopen(tx, { session, sid, at, source: 'host' });
    await recordEvent(tx, { tenant, session, at, kind: 'joined', source: 'host', data });
    return status;
  });
}

/**
 * Everybody who was in the room before `lookedAt` is out of it, as far as anybody knows: the room server or the room itself is gone since
 * `at`. Who has joined since then is in the room that was made anew.
 */
export async function reportRoomLost(
  deps: PresenceDeps,
  { room, at, source, lookedAt }: Pick<Sighting, 'room' | 'at' | 'source'> & { lookedAt: Date },
): Promise<RoomStanding> {
  return onSession(deps, { room, at, source }, 'room_lost', (tx, session) =>
    closeAll(tx, { session: session.id, at, source, joinedBefore: lookedAt }),
  );
}

type Hint = Pick<Sighting, 'room' | 'at' | 'source'> & Partial<Sighting>;

async function onSession(
  { db, notifier }: PresenceDeps,
  hint: Hint,
  kind: 'joined' | 'left' | 'room_lost',
  apply: (tx: Tx, session: SessionRow) => Promise<unknown>,
): Promise<RoomStanding> {
  const located = await locateRoom(db, hint.room);
  if (!located) return 'unknown';
  const standing = await db.asTenant(located.tenant_id, async (tx): Promise<RoomStanding> => {
    const session = await lockSession(tx, located.session_id);
    if (!session || (hint.epoch !== undefined && hint.epoch !== session.epoch)) return 'held';
    const { sid, identity, role } = hint;
    await recordEvent(tx, {
      tenant: session.tenant_id,
      session: session.id,
      at: hint.at,
      kind,
      source: hint.source,
      data: { sid, identity, role },
    });
    // The figures of an ended session are final: what comes later is shown and never billed.
    if (session.status === 'ended') return session.host_id === null ? 'over' : 'held';
    await apply(tx, session);
    await markDeserted(tx, session.id);
    await renewDeadline(tx, session.id);
    return 'held';
  });
  if (kind === 'joined' && hint.role === 'person')
    notifier.tell(channels.session, `joined ${located.session_id} ${hint.sid}`);
  return standing;
}

/** After every change of what a deadline depends on. */
export async function renewDeadline(tx: Tx, id: string): Promise<void> {
  const session = await lockSession(tx, id);
  if (!session || session.status === 'ended') return;
  const limits = await findLimits(tx, session.agent, session.version_hash);
  if (!limits) return;
  const deadline = nextDeadline(session, limits, await listPresence(tx, id));
  await setDeadline(tx, { id, at: deadline.at });
}
