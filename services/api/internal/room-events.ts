import express, { type Request, Router } from 'express';
import { type WebhookEvent, WebhookReceiver } from 'livekit-server-sdk';
import { Problem, problems } from '../../contract/problems.ts';
import { admitArrival } from '../../core/channels/arrival.ts';
import type { OpenDeps } from '../../core/channels/open-session.ts';
import {
  type PresenceDeps,
  type RoomStanding,
  reportJoined,
  reportLeft,
  type Sighting,
} from '../../core/presence/presence.ts';
import { presenceRole } from '../../core/presence/role.ts';
import { byIssuer } from '../../core/rooms/known-keys.ts';
import type { RoomServerTime } from '../../core/rooms/room-server-time.ts';
import type { RoomServer } from '../../core/rooms/rooms.ts';
import { hashPrefix } from '../../core/sessions/ids.ts';
import { type AdmitCallDeps, admitCall } from '../../core/telephony/admit-call.ts';
import { endCall } from '../../core/telephony/end-call.ts';
import { callerOf, isHungUp, isInboundRoom, isLeg, sipCallIdOf } from '../../core/telephony/leg.ts';
import { bestEffort } from '../../process/best-effort.ts';
import type { Logger } from '../../process/logger.ts';
import { isDatabaseUnavailable } from '../../store/database.ts';
import type { ApiMetrics } from '../metrics.ts';
import { joinedAt, leftAt } from './room-event-time.ts';
import { readRoomPurpose, tenantOf } from './room-purpose.ts';

export interface RoomEventDeps extends PresenceDeps, OpenDeps, AdmitCallDeps {
  roomTime: Pick<RoomServerTime, 'ours'>;
  log: Logger;
  metrics: ApiMetrics;
  roomServer: Pick<RoomServer, 'apiKey' | 'apiSecret' | 'otherKeys'>;
}

const limitBytes = 256 * 1024;
/** The room server signs for its own time; without this an API that is 11 s behind would refuse every event. */
const clocksDifferBySeconds = 60;

/**
 * POST /room-events: the room server tells who joined and left. Hints, not truth: they are retried for half a minute, then lost,
 * and may be out of order. The payload holds credentials of the room server and is never logged.
 */
export function roomEventsRoute(deps: RoomEventDeps): Router {
  const receiverOf = byIssuer(deps.roomServer, ({ apiKey, apiSecret }) => new WebhookReceiver(apiKey, apiSecret));
  const router = Router();
  router.post('/room-events', express.text({ type: () => true, limit: limitBytes }), async (req, res) => {
    req.routePattern = '/room-events';
    const event = await verified(receiverOf(req.headers.authorization ?? '')?.check, req);
    req.logged.event = event.event;
    if (event.room) req.logged.room = hashPrefix(event.room.name);
    await handle(deps, event);
    res.status(200).json({ received: true });
  });
  return router;
}

async function verified(receiver: WebhookReceiver | undefined, req: Request): Promise<WebhookEvent> {
  if (!receiver) throw problems.invalidRoomEvent();
  try {
    const body = typeof req.body === 'string' ? req.body : '';
    return await receiver.receive(body, req.headers.authorization, false, clocksDifferBySeconds);
  } catch {
    throw problems.invalidRoomEvent();
  }
}

/** @throws when the database can't be reached: the room server then tells us again. */
async function handle(deps: RoomEventDeps, event: WebhookEvent): Promise<void> {
  const name = event.event;
  try {
    const known =
      name === 'participant_joined'
        ? await joined(deps, event)
        : name === 'participant_left'
          ? await left(deps, event)
          : undefined;
    deps.metrics.roomEvents.inc({
      event: name,
      result: known === undefined ? 'ignored' : known ? 'stored' : 'unknown_room',
    });
  } catch (error) {
    deps.metrics.roomEvents.inc({ event: name, result: 'failed' });
    throw error;
  }
}

async function joined(deps: RoomEventDeps, event: WebhookEvent): Promise<boolean | undefined> {
  if (await ring(deps, event)) return true;
  const seen = sighting(event, joinedAt(deps.clock.now(), joinedMs(deps, event)));
  // Whose telephone rings is nobody yet, but the agent that is to answer comes now.
  if (!seen) return event.participant && isLeg(event.participant) ? admit(deps, event, event.participant) : undefined;
  const standing = await reportJoined(deps, seen);
  if (standing === 'over' && seen.role === 'person') await closeAgain(deps, seen.room);
  if (isKnown(standing)) return true;
  if (seen.role !== 'person' || !(await admit(deps, event, seen))) return false;
  return isKnown(await reportJoined(deps, seen));
}

const isKnown = (standing: RoomStanding): boolean => standing !== 'unknown';

/**
 * A token opens the room of an ended session no more, since there is none; but whoever joins while it is deleted has the room server make it
 * again (1.13.5, seen with a client that joined all the time), and nobody would be there.
 */
async function closeAgain({ rooms, log }: RoomEventDeps, room: string): Promise<void> {
  log.info({ room: hashPrefix(room) }, 'somebody came into the room of an ended session, and it is closed');
  await bestEffort('whoever compares the rooms closes it within two minutes', rooms.close(room));
}

/** A telephone rings; true when it is a call that came in. */
async function ring(deps: RoomEventDeps, { room, participant }: WebhookEvent): Promise<boolean> {
  if (!room || !participant || !isLeg(participant) || !isInboundRoom(room.name)) return false;
  const sipCallId = sipCallIdOf(participant);
  // Whoever looks at the rooms each second sees it a moment later, when the bridge has told it.
  if (sipCallId === undefined) return true;
  const { identity } = participant;
  const incoming = { room: room.name, identity, sipCallId, caller: callerOf(participant) };
  const refused = await admitCall(deps, incoming);
  if (refused) deps.log.info({ code: refused, room: hashPrefix(room.name) }, 'a call was refused');
  return true;
}

async function left(deps: RoomEventDeps, event: WebhookEvent): Promise<boolean | undefined> {
  const now = deps.clock.now();
  const createdMs = event.createdAt ? deps.roomTime.ours(Number(event.createdAt) * 1000) : 0;
  const at = leftAt(now, createdMs);
  if (event.participant && isLeg(event.participant)) return hungUp(deps, event, at);
  const seen = sighting(event, at);
  if (!seen) return undefined;
  return isKnown(await reportLeft(deps, { ...seen, joinedAt: joinedAt(seen.at, joinedMs(deps, event)) }));
}

/** Whoever has hung up does not come back, and the session need not wait for them. */
async function hungUp(
  deps: RoomEventDeps,
  { room, participant }: WebhookEvent,
  at: Date,
): Promise<boolean | undefined> {
  if (!room || !participant) return undefined;
  const { sid, identity } = participant;
  const seen = { room: room.name, sid, identity, role: 'person', isLeg: true, source: 'room_event', at } as const;
  const known = isKnown(await reportLeft(deps, seen));
  if (known && isHungUp(participant)) await endCall(deps, { room: room.name, at, source: 'room_event' });
  return known;
}

/** By our clock; at or below 0 when the room server does not say. */
const joinedMs = ({ roomTime }: RoomEventDeps, { participant }: WebhookEvent): number =>
  participant?.joinedAtMs ? roomTime.ours(Number(participant.joinedAtMs)) : 0;

/** Undefined when it is nobody whose presence counts. */
function sighting({ room, participant }: WebhookEvent, at: Date): Sighting | undefined {
  if (!room || !participant) return undefined;
  const role = presenceRole(participant);
  if (!role) return undefined;
  return { room: room.name, sid: participant.sid, identity: participant.identity, role, source: 'room_event', at };
}

/** Somebody came into a room without a session: whose maker invited an agent gets one. */
async function admit(
  deps: RoomEventDeps,
  { room }: WebhookEvent,
  { identity }: Pick<Sighting, 'identity'>,
): Promise<boolean> {
  const purpose = readRoomPurpose(room?.metadata ?? '');
  if (!room || !purpose) return false;
  try {
    const tenant = await tenantOf(deps.db, purpose);
    if (!tenant) throw problems.tenantNotFound(purpose.tenant);
    await admitArrival(deps, { ...purpose, tenant, room: room.name, identity });
    return true;
  } catch (error) {
    if (!(error instanceof Problem) || isDatabaseUnavailable(error)) throw error;
    deps.log.warn({ code: error.code, agent: purpose.agent, room: hashPrefix(room.name) }, 'an arrival was refused');
    return false;
  }
}
