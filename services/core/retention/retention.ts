import type { Database } from '../../store/database.ts';
import { deleteSession, forgetExpired, locateDeletable } from '../../store/tables/sessions.ts';

/** Small enough that no look holds locks for long or fills the log of a replica. */
const batch = 200;

/**
 * Deletes sessions whose retention is over, with everything of them; at most 200 a look. Returns how many. A webhook that is still
 * owed stays, with the transcript in its body, until it was delivered or given up (3 days).
 */
export async function deleteDueSessions({ db }: { db: Database }): Promise<number> {
  const due = await locateDeletable(db, batch);
  const byTenant = Map.groupBy(due, (row) => row.tenant_id);
  for (const [tenant, rows] of byTenant) {
    await db.asTenant(tenant, async (tx) => {
      for (const { session_id: id } of rows) await deleteSession(tx, id);
    });
  }
  return due.length;
}

/** Forgets Idempotency-Keys and request signatures that nobody may use any more, and settled deliveries whose session is gone. */
export const forgetExpiredMarks = ({ db }: { db: Database }) => forgetExpired(db);

export const retentionBatch = batch;
