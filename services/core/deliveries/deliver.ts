import type { AgentVariables } from '../../agent-files/definition/agent-variables.ts';
import type { Clock } from '../../process/clock.ts';
import type { Database, Tx } from '../../store/database.ts';
import { markWebhookDisabled } from '../../store/tables/agents.ts';
import {
  type DeliveryRow,
  findDelivery,
  insertAttempt,
  lockDelivery,
  settleDelivery,
} from '../../store/tables/deliveries.ts';
import { signingSecrets } from '../credentials/credentials.ts';
import type { Vault } from '../credentials/vault.ts';
import type { Receivers } from './receivers.ts';
import { waitAfterAttempt } from './schedule.ts';
import { type AttemptResult, type SendDeps, sendOnce } from './send.ts';
import { findWebhookTarget } from './webhook-target.ts';

export interface DeliverDeps extends SendDeps {
  db: Database;
  vault: Vault;
  clock: Clock;
  forAgents: Pick<AgentVariables, 'declared'>;
  receivers: Receivers;
  /** What the waits between attempts are multiplied by; 1 except in tests. */
  retryScale: number;
}

export interface DeliveryId {
  tenant: string;
  delivery: string;
}

export type DeliverResult = AttemptResult['result'] | 'nothing_to_do' | 'switched_off';

/**
 * One attempt to deliver, unless its receiver has no place for it: then for how long. The attempt, what became of the delivery
 * and when it is due again commit together; a process that dies before that repeats the attempt, so a receiver may get the
 * same delivery (same `webhook-id`) twice.
 */
export async function deliver(
  deps: DeliverDeps,
  { tenant, delivery }: DeliveryId,
): Promise<DeliverResult | { waitMs: number }> {
  const { row, target } = await deps.db.asTenant(tenant, async (tx) => {
    const found = await findDelivery(tx, delivery);
    return { row: found, target: found && (await findWebhookTarget(tx, found.agent, deps.forAgents)) };
  });
  if (row?.status !== 'pending' || !target) return 'nothing_to_do';
  if (target.state !== 'on') {
    await deps.db.asTenant(tenant, (tx) => switchOff(tx, row));
    return 'switched_off';
  }
  if (target.url === undefined) {
    const error = `The variable that holds the address (${target.named}) is not set where the worker runs.`;
    const nothing = { durationMs: 0, statusCode: null, excerpt: null, requestHeaders: null };
    return settle(deps, row, { result: 'failed', error, ...nothing });
  }
  return attempt(deps, row, target.url);
}

async function attempt(deps: DeliverDeps, row: DeliveryRow, url: string): Promise<DeliverResult | { waitMs: number }> {
  const { db, vault, clock, receivers } = deps;
  const { id, body, agent, tenant_id: tenant } = row;
  const secrets = await signingSecrets({ db, vault }, { tenant, agent });
  const turn = receivers.enter(url, `${tenant} ${agent}`);
  if ('waitMs' in turn) return turn;
  let [answered, tookMs] = [false, 0];
  try {
    const result = await sendOnce(deps, { id, url, body, secrets, at: clock.now() });
    [answered, tookMs] = [result.statusCode !== null, result.durationMs];
    return await settle(deps, row, result);
  } finally {
    turn.done(answered, tookMs);
  }
}

/** The attempt's number comes from the locked row: should two processes have tried at once, both attempts are kept. */
async function settle(
  { db, clock, retryScale }: DeliverDeps,
  { id, tenant_id: tenant }: DeliveryRow,
  result: AttemptResult,
): Promise<AttemptResult['result']> {
  await db.asTenant(tenant, async (tx) => {
    const row = await lockDelivery(tx, id);
    if (!row) return;
    const attempts = row.attempts + 1;
    await recordAttempt(tx, row, result);
    // Another process has delivered it meanwhile: that stands.
    const waitMs = isTest(row) ? undefined : waitAfterAttempt(attempts, { random: Math.random(), scale: retryScale });
    const status = row.status === 'pending' ? statusAfter(result, waitMs) : row.status;
    const nextAttemptAt =
      status === 'pending' && waitMs !== undefined ? new Date(clock.now().getTime() + waitMs) : null;
    await settleDelivery(tx, { id, status, attempts, nextAttemptAt });
    if (result.result === 'gone' && !isTest(row)) await markWebhookDisabled(tx, row.agent);
  });
  return result.result;
}

/** Of a test whoever waits for it is told what came of it: it is tried once, and changes nothing. */
const isTest = ({ event }: DeliveryRow): boolean => event === 'conversation.test';

function statusAfter({ result }: AttemptResult, waitMs: number | undefined): DeliveryRow['status'] {
  if (result === 'delivered') return 'delivered';
  if (result === 'gone') return 'disabled';
  return waitMs === undefined ? 'failed' : 'pending';
}

/** Keeps what happened in one attempt, under the next number. */
export const recordAttempt = (tx: Tx, { id, tenant_id, attempts }: DeliveryRow, result: AttemptResult) =>
  insertAttempt(tx, tenant_id, {
    delivery_id: id,
    attempt: attempts + 1,
    duration_ms: result.durationMs,
    status_code: result.statusCode,
    error: result.error,
    response_excerpt: result.excerpt,
    request_headers: result.requestHeaders,
  });

const switchOff = (tx: Tx, { id, attempts }: DeliveryRow) =>
  settleDelivery(tx, { id, status: 'disabled', attempts, nextAttemptAt: null });
