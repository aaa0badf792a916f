import { problems } from '../../../contract/problems.ts';
import type { CallShown } from '../../../contract/telephony.ts';
import { findCall } from '../../../store/tables/calls.ts';
import { type Acting, audited } from '../../account/acting.ts';
import type { Vault } from '../../credentials/vault.ts';
import type { EndDeps } from '../../sessions/end.ts';
import { toShownCall } from '../calls-shown.ts';
import { settleCall } from './settle.ts';

/**
 * A call that was not answered yet is not made, or stops ringing: its room goes, and the bridge cancels what it has sent. One that is over stays
 * as it is. @throws Problem `call_not_found`, `call_answered`
 */
export async function cancelCall(deps: EndDeps & { vault: Vault }, acting: Acting, id: string): Promise<CallShown> {
  const { db, vault } = deps;
  const read = () => db.asTenant(acting.tenant, (tx) => findCall(tx, id));
  const call = await read();
  if (call?.direction !== 'outbound') throw problems.callNotFound();
  if (call.ended_at !== null) return toShownCall(vault, call);
  await settleCall(deps, call, { state: 'canceled' }, (tx) =>
    audited(tx, acting, { action: 'call.canceled', target: id }),
  );
  const now = await read();
  if (!now) throw problems.callNotFound();
  if (now.state === 'answered') throw problems.callAnswered();
  return toShownCall(vault, now);
}
