import type { AgentVariables } from '../../agent-files/definition/agent-variables.ts';
import type { Tx } from '../../store/database.ts';
import { findAgent } from '../../store/tables/agents.ts';
import { findTenant } from '../../store/tables/tenants.ts';

export type WebhookTarget =
  | { state: 'none' | 'feature_off' | 'disabled' }
  /** `named` may be stored and shown: of an address that is itself a secret only the variable's name. */
  | { state: 'on'; url: string | undefined; named: string };

/** Where an agent's finished conversations go as of now: always current, never pinned by a session. */
export async function findWebhookTarget(
  tx: Tx,
  agent: string,
  { declared }: Pick<AgentVariables, 'declared'>,
): Promise<WebhookTarget> {
  const tenant = await findTenant(tx, tx.tenant);
  const row = await findAgent(tx, agent);
  const url = row?.settings.webhook?.url;
  if (!row || url === undefined) return { state: 'none' };
  if (!tenant?.features.webhook) return { state: 'feature_off' };
  if (row.webhook_disabled_at) return { state: 'disabled' };
  return typeof url === 'string'
    ? { state: 'on', url, named: url }
    : { state: 'on', url: declared[url.env] || undefined, named: `env:${url.env}` };
}
