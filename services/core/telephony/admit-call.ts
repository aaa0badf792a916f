import { Problem } from '../../contract/problems.ts';
import { bestEffort } from '../../process/best-effort.ts';
import type { Clock } from '../../process/clock.ts';
import { sleep } from '../../process/sleep.ts';
import { isDatabaseUnavailable } from '../../store/database.ts';
import type { Notifier } from '../../store/notify.ts';
import { type CallRow, changeCall, findCallBySipId, insertCall, lockCall } from '../../store/tables/calls.ts';
import { findNumber, locateNumber, type NumberRow } from '../../store/tables/numbers.ts';
import { expectAgent } from '../../store/tables/sessions.ts';
import { admitArrival } from '../channels/arrival.ts';
import type { OpenDeps } from '../channels/open-session.ts';
import type { Vault } from '../credentials/vault.ts';
import type { Rooms } from '../rooms/rooms.ts';
import { newCallId } from './ids.ts';
import { dialledNumber } from './leg.ts';
import { isOpen } from './opening-hours.ts';
import { sayRefusal } from './say-refusal.ts';

export interface AdmitCallDeps extends OpenDeps {
  notifier: Notifier;
  rooms: Pick<Rooms, 'close' | 'participants'>;
  vault: Vault;
  clock: Clock;
  /** So long it rings for an agent. */
  answersWithinMs?: number;
}

/** A telephone that rings in a room which the SIP bridge named after the dialled number. */
export interface IncomingCall {
  room: string;
  identity: string;
  sipCallId: string;
  /** As the carrier gave it. */
  caller: string;
}

/** How long the record of a call without a session is kept; one with a session goes with it. */
const retentionMs = 30 * 86_400_000;
const busy = 486;
/** Less than the bridge's own time (`ringingSeconds` in bridge.ts), which says nothing of why. */
const answersWithinDefaultMs = 27_000;
/**
 * Between the room server's word of a leg and the bridge's own end of joining. A bridge whose room goes before that hears of it 10 s later,
 * and the caller hears it ring (livekit/sip 1.8.0, seen in half of the refusals).
 */
const bridgeConnectsMs = 500;

/**
 * A call came in: whose number was dialled says which agent answers, in which language and when. Two reports of the same call make one
 * session; whoever is refused hears that we are busy, or a sentence. Returns the code of the refusal; undefined when it is admitted, or was before.
 */
export async function admitCall(deps: AdmitCallDeps, incoming: IncomingCall): Promise<string | undefined> {
  const { db, rooms, clock } = deps;
  const number = dialledNumber(incoming.room);
  const tenant = number && (await locateNumber(db, number));
  const dialled = tenant && (await db.asTenant(tenant, (tx) => findNumber(tx, number)));
  if (!dialled) {
    await turnAway(rooms, incoming.room);
    return 'number_not_found';
  }
  const call = await claim(deps, dialled, incoming);
  if (!call || call.room_name !== incoming.room) {
    await turnAway(rooms, incoming.room);
    return 'call_id_used';
  }
  if (call.session_id !== null || call.ended_at !== null) return undefined;
  const refused = whyRefused(dialled, clock.now()) ?? (await open(deps, dialled, call, incoming));
  if (refused !== undefined) await refuse(deps, call, { code: refused, as: dialled.when_refused });
  return refused;
}

/** The one record of this call, whoever makes it; another call when its id was used before. */
async function claim(
  { db, vault }: AdmitCallDeps,
  { tenant_id: tenant, number, trunk_id, agent, language }: NumberRow,
  { room, sipCallId, caller }: IncomingCall,
): Promise<CallRow | undefined> {
  const id = newCallId();
  return db.asTenant(tenant, async (tx) => {
    const made = await insertCall(tx, tenant, {
      ...{ id, direction: 'inbound', trunk_id, number, agent: agent ?? '', language, state: 'ringing' },
      ...{ sip_call_id: sipCallId, room_name: room, variables: {}, consent: null, prefix: null, max_seconds: null },
      from_sealed: vault.seal(caller, { tenant, call: id, side: 'from' }),
      to_sealed: vault.seal(number, { tenant, call: id, side: 'to' }),
      other_hash: vault.hashesOfNumber(caller, tenant)[0],
      retentionMs,
    });
    return made ?? findCallBySipId(tx, sipCallId);
  });
}

function whyRefused({ agent, hours }: NumberRow, at: Date): string | undefined {
  if (agent === null) return 'agent_not_found';
  return isOpen(hours, at) ? undefined : 'closed';
}

/** Why there is no session for it; undefined when there is one. @throws while the database does not answer */
async function open(
  deps: AdmitCallDeps,
  { tenant_id: tenant, agent, language }: NumberRow,
  call: CallRow,
  { room, identity }: IncomingCall,
): Promise<string | undefined> {
  try {
    const session = await admitArrival(deps, {
      ...{ tenant, agent: agent ?? '', room, identity, channel: 'phone', interactionMode: 'VOICE' },
      mayWait: false,
      ...(language === null ? {} : { language }),
    });
    await deps.db.asTenant(tenant, async (tx) => {
      const now = await lockCall(tx, call.id);
      if (now) await changeCall(tx, call.id, { state: now.state, sessionId: session });
      await expectAgent(tx, { id: session, withinMs: deps.answersWithinMs ?? answersWithinDefaultMs });
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem) || isDatabaseUnavailable(error)) throw error;
    return error.code;
  }
}

interface Refusal {
  code: string;
  as: NumberRow['when_refused'];
}

/** Whoever stores it turns the caller away, or has them told why. */
async function refuse(deps: AdmitCallDeps, call: CallRow, { code, as }: Refusal): Promise<void> {
  const sipCode = as === 'busy' ? busy : undefined;
  const isOurs = await deps.db.asTenant(call.tenant_id, async (tx) => {
    const now = await lockCall(tx, call.id);
    if (now?.state !== 'ringing') return false;
    await changeCall(tx, call.id, { state: 'refused', refusedBecause: code, sipCode, endedAt: deps.clock.now() });
    return true;
  });
  if (!isOurs) return;
  if (as === 'busy') return turnAway(deps.rooms, call.room_name);
  // Nobody waits for it here: the room server tells its next event when this one is answered.
  void bestEffort('the bridge gives up by itself after 30 s', sayOrTurnAway(deps, call));
}

/** Where no host takes the call up in time, we are busy all the same. */
async function sayOrTurnAway(deps: AdmitCallDeps, call: CallRow): Promise<void> {
  if (await sayRefusal(deps, call)) return;
  await deps.db.asTenant(call.tenant_id, (tx) => changeCall(tx, call.id, { state: 'refused', sipCode: busy }));
  await turnAway(deps.rooms, call.room_name);
}

/** The bridge answers 486 when the room in which it rings is gone. */
async function turnAway(rooms: AdmitCallDeps['rooms'], room: string): Promise<void> {
  await sleep(bridgeConnectsMs);
  await rooms.close(room);
}
