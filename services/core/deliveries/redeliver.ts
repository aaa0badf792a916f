import { problems } from '../../contract/problems.ts';
import type { Database, Tx } from '../../store/database.ts';
import { databaseNow } from '../../store/database-time.ts';
import { lockDelivery, settleDelivery } from '../../store/tables/deliveries.ts';
import { type Acting, audited } from '../account/acting.ts';
import type { DeliveryId } from './deliver.ts';
import { putOnList } from './queue.ts';

/**
 * Sends a delivery again, whatever became of it: the same text under the same `webhook-id`. Attempts are counted on; after
 * the tenth there is one try a request. False when the tenant has no such delivery.
 */
export const redeliver = ({ db }: { db: Database }, { tenant, delivery }: DeliveryId): Promise<boolean> =>
  db.asTenant(tenant, (tx) => putAgain(tx, delivery));

/** As `redeliver`, by a person. @throws Problem `delivery_not_found` */
export const sendAgain = ({ db }: { db: Database }, acting: Acting, delivery: string): Promise<void> =>
  db.asTenant(acting.tenant, async (tx) => {
    if (!(await putAgain(tx, delivery))) throw problems.deliveryNotFound();
    await audited(tx, acting, { action: 'delivery.sent_again', target: delivery });
  });

async function putAgain(tx: Tx, delivery: string): Promise<boolean> {
  const row = await lockDelivery(tx, delivery);
  if (!row) return false;
  // What is due is told by the database's clock: by one that is fast it would wait, by one that is slow overtake what is due.
  const nextAttemptAt = await databaseNow(tx);
  await settleDelivery(tx, { id: row.id, status: 'pending', attempts: row.attempts, nextAttemptAt });
  await putOnList(tx, row);
  return true;
}
