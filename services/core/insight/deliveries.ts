/** What people see of deliveries to webhooks. */
import type {
  DeliveryAttempt,
  DeliveryFigures,
  DeliveryItem,
  DeliveryShown,
} from '../../contract/deployment-answers.ts';
import { problems } from '../../contract/problems.ts';
import type { Database } from '../../store/database.ts';
import {
  type AttemptRow,
  type DeliveriesQuery,
  type DeliveryRow,
  findDelivery,
  type ListedDelivery,
  listAttempts,
  listDeliveries,
} from '../../store/tables/deliveries.ts';
import { readListCursor, writeListCursor } from './list-cursor.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A page of deliveries, the newest first, each with what came of its last attempt. @throws Problem `invalid_request` for a cursor that is none */
export async function listShownDeliveries(
  db: Database,
  tenant: string,
  { cursor, ...query }: Omit<DeliveriesQuery, 'after'> & { cursor: string | undefined },
) {
  const after = cursor === undefined ? undefined : readListCursor(cursor, uuid);
  // One more than is shown tells whether there is a next page.
  const rows = await db.asTenant(tenant, (tx) =>
    listDeliveries(tx, tenant, { ...query, after, limit: query.limit + 1 }),
  );
  const shown = rows.slice(0, query.limit);
  const last = shown.at(-1);
  return { items: shown.map(toItem), nextCursor: rows.length > shown.length && last ? writeListCursor(last) : null };
}

const toItem = (row: ListedDelivery): DeliveryItem => ({
  attempts: row.attempts,
  ...figuresOf(row),
  lastStatusCode: row.last_status_code,
  lastError: row.last_error,
});

const figuresOf = (row: Omit<DeliveryRow, 'body'>): DeliveryFigures => ({
  id: row.id,
  agent: row.agent,
  sessionId: row.session_id,
  event: row.event,
  /** Of an address that is a secret the name of its variable. */
  url: row.url,
  status: row.status,
  nextAttemptAt: row.status === 'pending' ? row.next_attempt_at : null,
  createdAt: row.created_at,
  finishedAt: row.finished_at,
});

export type ShownDelivery = DeliveryShown;

const toShownAttempt = (row: AttemptRow): DeliveryAttempt => ({
  attempt: row.attempt,
  at: row.at,
  durationMs: row.duration_ms,
  requestHeaders: row.request_headers,
  statusCode: row.status_code,
  error: row.error,
  /** The beginning of what the receiver answered. */
  answer: row.response_excerpt,
});

/** A delivery with what is sent, and each attempt with what came back. @throws Problem `delivery_not_found` */
export const showDelivery = (
  db: Database,
  { tenant, delivery }: { tenant: string; delivery: string },
): Promise<ShownDelivery> =>
  db.asTenant(tenant, async (tx) => {
    const row = await findDelivery(tx, delivery);
    if (!row) throw problems.deliveryNotFound();
    const attempts = await listAttempts(tx, delivery);
    return { ...figuresOf(row), body: row.body, attempts: attempts.map(toShownAttempt) };
  });
