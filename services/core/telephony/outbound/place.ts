import { Problem } from '../../../contract/problems.ts';
import { backOffMs } from '../../../process/back-off.ts';
import type { Clock } from '../../../process/clock.ts';
import { sleep } from '../../../process/sleep.ts';
import type { Variables } from '../../../process/variables.ts';
import { isDatabaseUnavailable } from '../../../store/database.ts';
import { type CallRow, changeCall, findCall, lockCall } from '../../../store/tables/calls.ts';
import { findSession } from '../../../store/tables/sessions.ts';
import { findTrunk, type TrunkRow } from '../../../store/tables/trunks.ts';
import { admitArrival } from '../../channels/arrival.ts';
import type { OpenDeps } from '../../channels/open-session.ts';
import type { Vault } from '../../credentials/vault.ts';
import { personIdentity } from '../../rooms/rooms.ts';
import type { EndDeps } from '../../sessions/end.ts';
import { stateOfSipCode } from '../call-states.ts';
import { numbersOf } from '../calls-shown.ts';
import type { Dial, Dialled, Dialler } from './dialler.ts';
import { type Settlement, settleCall } from './settle.ts';

export interface PlaceDeps extends OpenDeps, EndDeps {
  vault: Vault;
  dialler: Dialler;
  clock: Clock;
  /** What trunks may name for their passwords: variables that the operator has declared. */
  forAgents: { declared: Variables };
}

/** What came of a dial. */
export type Placed = 'answered' | 'not_answered' | 'unknown';

/** An agent joins in a tenth of a second where one has room. */
const agentWithinMs = 20_000;
const lookEveryMs = 100;
/** Whoever asked for a call does not expect it any more. */
export const stillWantedMs = 120_000;
const dayMs = 86_400_000;
/** Some 30 s: a database that fails over is back by then. */
const storedWithinTries = 7;

/** A call that is stored as being dialled: now the bridge has to be asked, by whoever has this, once. */
export interface Prepared {
  call: CallRow;
  dial: Dial;
}

/**
 * Prepares a call that was asked for: a session is opened, and its agent waits in the room. That the bridge is asked is stored before it is:
 * whoever runs this again after a crash finds the call dialling, and leaves it to those who look at the room (follow.ts).
 */
export async function prepareCall(
  deps: PlaceDeps,
  { tenant, call: id }: { tenant: string; call: string },
): Promise<Prepared | 'refused' | 'nothing_to_do'> {
  const call = await deps.db.asTenant(tenant, (tx) => findCall(tx, id));
  if (call?.state !== 'queued') return 'nothing_to_do';
  const trunk = await trunkOf(deps, call);
  if (!trunk) return refuse(deps, call, 'trunk_not_found');
  const refused = await whyNot(deps, call);
  if (refused !== undefined) return refuse(deps, call, refused);
  const dial = dialOf(deps, call, trunk);
  return (await markDialing(deps, call)) ? { call, dial } : 'nothing_to_do';
}

async function refuse(deps: PlaceDeps, call: CallRow, refusedBecause: string): Promise<'refused' | 'nothing_to_do'> {
  const isSettled = await settleCall(deps, call, { state: 'refused', refusedBecause });
  return isSettled ? 'refused' : 'nothing_to_do';
}

/** Asks the bridge, and waits for what comes of it: up to 85 s. @throws when it could not be stored; then the room tells it */
export async function dialPrepared(deps: PlaceDeps, { call, dial }: Prepared): Promise<Placed> {
  const dialled = await deps.dialler.dial(dial);
  for (let failures = 1; ; failures += 1) {
    try {
      return await settleDialled(deps, call, dialled);
    } catch (error) {
      if (failures === storedWithinTries || !isDatabaseUnavailable(error)) throw error;
      await sleep(backOffMs(failures, { firstMs: 500 }));
    }
  }
}

/** A code of problems; undefined once the agent waits in the room. @throws while the database does not answer */
async function whyNot(deps: PlaceDeps, call: CallRow): Promise<string | undefined> {
  if (deps.clock.now().getTime() - call.asked_at.getTime() > stillWantedMs) return 'expired';
  try {
    const session = await openFor(deps, call);
    return (await agentIsThere(deps, call.tenant_id, session)) ? undefined : 'agent_unavailable';
  } catch (error) {
    if (!(error instanceof Problem) || isDatabaseUnavailable(error)) throw error;
    return error.code;
  }
}

/** May run twice: the room has one session. */
async function openFor(deps: PlaceDeps, call: CallRow): Promise<string> {
  const { tenant_id: tenant, agent, language, room_name: room } = call;
  const session = await admitArrival(deps, {
    ...{ tenant, agent, room, identity: personIdentity, channel: 'phone', interactionMode: 'VOICE' },
    ...(language === null ? {} : { language }),
  });
  await deps.db.asTenant(tenant, async (tx) => {
    const now = await lockCall(tx, call.id);
    if (now) await changeCall(tx, call.id, { state: now.state, sessionId: session });
  });
  return session;
}

async function agentIsThere({ db }: PlaceDeps, tenant: string, id: string): Promise<boolean> {
  const deadline = performance.now() + agentWithinMs;
  while (performance.now() < deadline) {
    const session = await db.asTenant(tenant, (tx) => findSession(tx, id));
    if (!session || session.status === 'ended') return false;
    if (session.agent_ready_at) return true;
    await sleep(lookEveryMs);
  }
  return false;
}

/** Undefined where it is gone since the call was asked for. */
async function trunkOf({ db }: PlaceDeps, { tenant_id: tenant, trunk_id: id }: CallRow): Promise<TrunkRow | undefined> {
  return id === null ? undefined : db.asTenant(tenant, (tx) => findTrunk(tx, id));
}

/** What the bridge is asked. */
function dialOf({ vault, forAgents }: PlaceDeps, call: CallRow, trunk: TrunkRow): Dial {
  return {
    room: call.room_name,
    ...numbersOf(vault, call),
    trunk,
    password: trunk.auth_password === null ? undefined : forAgents.declared[trunk.auth_password],
    maxSeconds: call.max_seconds ?? dayMs / 1_000,
  };
}

/** Commits before anything is dialled. False for whoever comes second, and where it was cancelled meanwhile. */
const markDialing = ({ db, clock }: PlaceDeps, { tenant_id: tenant, id }: CallRow): Promise<boolean> =>
  db.asTenant(tenant, async (tx) => {
    const call = await lockCall(tx, id);
    if (call?.state !== 'queued') return false;
    await changeCall(tx, id, { state: 'dialing', dialedAt: clock.now() });
    return true;
  });

async function settleDialled(deps: PlaceDeps, call: CallRow, dialled: Dialled): Promise<Placed> {
  if (dialled.result === 'answered') return noteAnswered(deps, call, dialled.sipCallId);
  const settlement = settlementOf(dialled);
  if (!settlement) return 'unknown';
  await settleCall(deps, call, settlement);
  return 'not_answered';
}

/** Whether it is over; of an unknown outcome the room tells (follow.ts). */
function settlementOf(dialled: Exclude<Dialled, { result: 'answered' }>): Settlement | undefined {
  switch (dialled.result) {
    case 'refused':
      return { state: stateOfSipCode(dialled.sipCode), sipCode: dialled.sipCode };
    case 'gave_up':
      return { state: 'no_answer' };
    case 'unreachable':
      return { state: 'unreachable' };
    case 'unknown':
      return undefined;
    default:
      return dialled satisfies never;
  }
}

/** Whoever was cancelled and answered in the same moment is hung up on. */
async function noteAnswered(
  deps: PlaceDeps,
  { tenant_id: tenant, id, room_name }: CallRow,
  sipCallId: string,
): Promise<Placed> {
  const isOn = await deps.db.asTenant(tenant, async (tx) => {
    const call = await lockCall(tx, id);
    if (!call) return false;
    const answered = { state: 'answered', answeredAt: call.answered_at ?? deps.clock.now() } as const;
    const isOver = call.ended_at !== null;
    await changeCall(tx, id, { ...(isOver ? { state: call.state } : answered), sipCallId, sipCode: 200 });
    return !isOver || call.state === 'ended';
  });
  if (!isOn) await deps.rooms.close(room_name);
  return 'answered';
}
