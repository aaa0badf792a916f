import type { EndReason } from '../../contract/end-reasons.ts';
import type { Tx } from '../../store/database.ts';
import { deleteAllOf, type ErasureRow, findErasure, insertErasure } from '../../store/tables/erasures.ts';
import { lockSession } from '../../store/tables/sessions.ts';
import { type EndDeps, endSession } from './end.ts';

export interface Erasing {
  tenant: string;
  session: string;
  /** On whose behalf, for the record: `operator`, `dashboard`. */
  by: string;
  /** With which a session ends that is still live. */
  reason: EndReason;
  /** Commits with the erasure, unless it was erased before. */
  along?: ((tx: Tx) => Promise<unknown>) | undefined;
}

/**
 * Erases a conversation on request, before its retention is over: the session and every row about it, deliveries that are still owed and
 * jobs included, in one transaction with the record that says what went and when. One that is live ends first. What a host hands in
 * afterwards finds no session and is dropped. What was billed stays in the ledger, which knows agents and days only.
 *
 * Asking again answers with the same record. Undefined when the tenant has no such session.
 */
export async function eraseSession(
  deps: EndDeps,
  { tenant, session, by, reason, along }: Erasing,
): Promise<ErasureRow | undefined> {
  await endSession(deps, { tenant, session, reason, source: by });
  return deps.db.asTenant(tenant, async (tx) => {
    await lockSession(tx, session);
    const { agent, ...rows } = await deleteAllOf(tx, session);
    if (agent === null) return findErasure(tx, session);
    const record = { session_id: session, agent, erased_by: by, erased_rows: rows };
    const made = await insertErasure(tx, tenant, record);
    if (made) await along?.(tx);
    return made ?? findErasure(tx, session);
  });
}
