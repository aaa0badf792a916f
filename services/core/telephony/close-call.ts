import type { EndReason } from '../../contract/end-reasons.ts';
import type { Tx } from '../../store/database.ts';
import { changeCall, lockCallOfSession } from '../../store/tables/calls.ts';
import { endOfCall, isOver } from './call-states.ts';

/** The call of a session that ends, in the transaction that ends it. One that is over already keeps what was known of it. */
export async function closeCallOf(
  tx: Tx,
  { id: session, end_reason }: { id: string; end_reason: EndReason | null },
  at: Date,
): Promise<void> {
  const call = await lockCallOfSession(tx, session);
  if (!call || !end_reason || isOver(call.state)) return;
  await changeCall(tx, call.id, { ...endOfCall(call, end_reason), endedAt: at });
}
