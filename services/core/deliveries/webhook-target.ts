import type { AgentVariables } from '../../agent-files/definition/agent-variables.ts';
import type { Tx } from '../../store/database.ts';
import { findAgent } from '../../store/tables/agents.ts';
import { findTenant } from '../../store/tables/tenants.ts';

export type WebhookTarget =
  | { state: 'none' | 'feature_off' | 'disabled' }
  /** `named` may be stored and shown: of an address that is itself a secret only the variable's name. */
  | { state: 'on'; url: string | undefined; named: string };

/** Why nothing is sent, and what to do about it. */
export function whyNotSent(agent: string, why: Exclude<WebhookTarget['state'], 'on'>): string {
  switch (why) {
    case 'none':
      return `${agent} has no webhook: add "webhook: { url: https://… }" to its file.`;
    case 'feature_off':
      return 'Webhooks are not switched on for this tenant (features.webhook in the stack configuration).';
    case 'disabled':
      return `The webhook of ${agent} answered 410 and was switched off: change its address in the file to switch it on.`;
    default:
      return why satisfies never;
  }
}

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
