import type { AgentVariables } from '../../agent-files/definition/agent-variables.ts';
import { problems } from '../../contract/problems.ts';
import type { Clock } from '../../process/clock.ts';
import type { Database, Tx } from '../../store/database.ts';
import { findAgent } from '../../store/tables/agents.ts';
import { insertDelivery, settleDelivery } from '../../store/tables/deliveries.ts';
import { signingSecrets } from '../credentials/credentials.ts';
import type { Vault } from '../credentials/vault.ts';
import { newUuid } from '../sessions/ids.ts';
import { recordAttempt } from './deliver.ts';
import { testEvent } from './payload.ts';
import { type AttemptResult, type SendDeps, sendOnce } from './send.ts';
import { findWebhookTarget, type WebhookTarget } from './webhook-target.ts';

export interface TestDeliveryDeps extends SendDeps {
  db: Database;
  vault: Vault;
  clock: Clock;
  forAgents: Pick<AgentVariables, 'declared'>;
}

export interface TestDelivery {
  id: string;
  /** Where it went; of a secret address only the variable's name. */
  target: string;
  body: string;
  attempt: AttemptResult;
}

/**
 * Sends `conversation.test` to an agent's webhook, once and now, and keeps the attempt. A string says why nothing was sent.
 * @throws Problem `agent_not_found`
 */
export async function sendTestDelivery(
  deps: TestDeliveryDeps,
  { tenant, agent }: { tenant: string; agent: string },
): Promise<TestDelivery | Exclude<WebhookTarget['state'], 'on'> | 'variable_missing'> {
  const { db, vault, clock, forAgents } = deps;
  const { row, target } = await db.asTenant(tenant, async (tx) => ({
    row: await findAgent(tx, agent),
    target: await findWebhookTarget(tx, agent, forAgents),
  }));
  if (!row) throw problems.agentNotFound(agent);
  if (target.state !== 'on') return target.state;
  if (target.url === undefined) return 'variable_missing';
  const at = clock.now();
  const id = newUuid();
  const body = JSON.stringify(
    testEvent({ agent, version: row.version_hash, language: row.definition.defaultLanguage }, at),
  );
  const secrets = await signingSecrets({ db, vault }, { tenant, agent });
  const attempt = await sendOnce(deps, { id, url: target.url, body, secrets, at });
  await db.asTenant(tenant, (tx) => keep(tx, { id, agent, url: target.named, body }, attempt));
  return { id, target: target.named, body, attempt };
}

async function keep(
  tx: Tx,
  delivery: { id: string; agent: string; url: string; body: string },
  attempt: AttemptResult,
): Promise<void> {
  const row = await insertDelivery(tx, tx.tenant, { ...delivery, session_id: null, event: 'conversation.test' });
  if (!row) return;
  await recordAttempt(tx, row, attempt);
  const status = attempt.result === 'delivered' ? 'delivered' : 'failed';
  await settleDelivery(tx, { id: row.id, status, attempts: 1, nextAttemptAt: null });
}
