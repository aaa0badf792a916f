import type { WebhookItem, WebhookShown } from '../../contract/deployment-answers.ts';
import { problems } from '../../contract/problems.ts';
import type { Database } from '../../store/database.ts';
import { findAgentFile, findSource } from '../../store/tables/agent-sources.ts';
import { findAgent, type LiveAgentRow, listLiveAgents } from '../../store/tables/agents.ts';
import { findTenant } from '../../store/tables/tenants.ts';
import { whyNotSent } from '../deliveries/webhook-target.ts';
import type { AgentsQuery } from './agents.ts';

export type ShownWebhook = WebhookItem;

/** Where agents' finished conversations go, as of now: a page by the agents' names. */
export const listShownWebhooks = (db: Database, tenant: string, { after, limit }: AgentsQuery) =>
  db.asTenant(tenant, async (tx) => {
    const isOn = (await findTenant(tx, tenant))?.features.webhook ?? false;
    const rows = await listLiveAgents(tx, { after, limit: limit + 1 });
    const shown = rows.slice(0, limit);
    return {
      items: shown.filter(({ deleted_at }) => !deleted_at).map((row) => toShownWebhook(row, isOn)),
      nextCursor: rows.length > limit ? (shown.at(-1)?.agent ?? null) : null,
    };
  });

/** The same of one agent, with what its file says. @throws Problem `agent_not_found` */
export const showWebhook = (
  db: Database,
  { tenant, agent }: { tenant: string; agent: string },
): Promise<WebhookShown> =>
  db.asTenant(tenant, async (tx) => {
    const row = await findAgent(tx, agent);
    if (!row) throw problems.agentNotFound(agent);
    const isOn = (await findTenant(tx, tenant))?.features.webhook ?? false;
    const [file, source] = [await findAgentFile(tx, agent), await findSource(tx)];
    return {
      ...toShownWebhook(row, isOn),
      // As it stands at the head of the source; `url` is undefined where it can't be read.
      file: file ? { id: file.file_id, url: file.webhook?.url } : null,
      source: source ? { writing: source.writing, how: source.how } : null,
    };
  });

export function toShownWebhook(row: LiveAgentRow, isOn: boolean): ShownWebhook {
  const url = row.settings.webhook?.url ?? null;
  const state = stateOf(url, row, isOn);
  const how = state === 'on' ? null : whyNotSent(row.agent, state);
  return { agent: row.agent, url, state, how, disabledAt: row.webhook_disabled_at };
}

function stateOf(url: ShownWebhook['url'], { webhook_disabled_at }: LiveAgentRow, isOn: boolean) {
  if (url === null) return 'none';
  if (!isOn) return 'feature_off';
  return webhook_disabled_at ? 'disabled' : 'on';
}
