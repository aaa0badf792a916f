import type { Database } from '../../store/database.ts';
import { databaseNow } from '../../store/database-time.ts';
import { lockDelivery, settleDelivery } from '../../store/tables/deliveries.ts';
import type { DeliveryId } from './deliver.ts';
import { putOnList } from './queue.ts';

/**
 * Sends a delivery again, whatever became of it: the same text under the same `webhook-id`. Attempts are counted on; after
 * the tenth there is one try a request. False when the tenant has no such delivery.
 */
export async function redeliver({ db }: { db: Database }, { tenant, delivery }: DeliveryId): Promise<boolean> {
  return db.asTenant(tenant, async (tx) => {
    const row = await lockDelivery(tx, delivery);
    if (!row) return false;
    // What is due is told by the database's clock: by one that is fast it would wait, by one that is slow overtake what is due.
    const nextAttemptAt = await databaseNow(tx);
    await settleDelivery(tx, { id: row.id, status: 'pending', attempts: row.attempts, nextAttemptAt });
    await putOnList(tx, row);
    return true;
  });
}
