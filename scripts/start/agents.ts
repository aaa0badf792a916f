import type { Credentials } from '../../services/core/credentials/credentials.ts';
import { revealCredentials } from '../../services/core/credentials/credentials.ts';
import type { Vault } from '../../services/core/credentials/vault.ts';
import type { Database } from '../../services/store/database.ts';
import { listAgents } from '../../services/store/tables/agents.ts';
import { locateTenant } from '../../services/store/tables/tenants.ts';

export type AgentCredentials = Record<string, Credentials>;

export interface AgentSource {
  db: Database;
  vault: Vault;
  /** The tenant's slug. */
  tenant: string;
}

/** Key and secret of every agent that can be called, by the agent's id. */
export async function liveAgents({ db, vault, tenant: slug }: AgentSource): Promise<AgentCredentials> {
  const tenant = await locateTenant(db, slug);
  if (!tenant) return {};
  const rows = await db.asTenant(tenant, listAgents);
  const names = rows.filter((row) => !row.deleted_at && !row.disabled_at).map((row) => row.agent);
  const credentials = await Promise.all(names.map((agent) => revealCredentials({ db, vault }, { tenant, agent })));
  return Object.fromEntries(names.sort().map((name, index) => [name, credentials[index] as Credentials]));
}
