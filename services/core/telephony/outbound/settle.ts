import type { EndReason } from '../../../contract/end-reasons.ts';
import type { CallState } from '../../../contract/telephony.ts';
import { bestEffort } from '../../../process/best-effort.ts';
import type { Tx } from '../../../store/database.ts';
import { databaseNow } from '../../../store/database-time.ts';
import { type CallRow, changeCall, findCall, lockCall } from '../../../store/tables/calls.ts';
import { type EndDeps, endAsJudged } from '../../sessions/end.ts';
import { mayMove } from '../call-states.ts';

export interface Settlement {
  state: CallState;
  sipCode?: number;
  refusedBecause?: string;
}

/** With which the session of a call that nobody answered ends. */
const reasonOf = ({ state }: Settlement): EndReason => {
  if (state === 'canceled') return 'dashboard_ended';
  return state === 'refused' ? 'agent_unavailable' : 'call_ended';
};

/**
 * A call that was not answered is over. Its session ends in the same transaction, with its room, so that a leg that comes late finds
 * none; where the session has ended already, its call has. Settled again it stays as it is.
 */
export async function settleCall(
  deps: EndDeps,
  { tenant_id: tenant, id, room_name }: Pick<CallRow, 'tenant_id' | 'id' | 'room_name'>,
  settlement: Settlement,
  along?: (tx: Tx) => Promise<unknown>,
): Promise<boolean> {
  let isSettled = false;
  const settle = async (tx: Tx) => {
    const call = await lockCall(tx, id);
    if (!call || !mayMove(call.state, settlement.state)) return;
    await changeCall(tx, id, { ...settlement, endedAt: await databaseNow(tx) });
    await along?.(tx);
    isSettled = true;
  };
  const session = (await deps.db.asTenant(tenant, (tx) => findCall(tx, id)))?.session_id;
  if (session)
    await endAsJudged(deps, { tenant, session, source: 'call', along: settle }, async (tx) => {
      const call = await lockCall(tx, id);
      return call && mayMove(call.state, settlement.state) ? { reason: reasonOf(settlement) } : undefined;
    });
  // Its session had ended before it was known to be of this call.
  if (!isSettled) await deps.db.asTenant(tenant, settle);
  if (isSettled) await bestEffort('the finish job closes it too', deps.rooms.close(room_name));
  return isSettled;
}
