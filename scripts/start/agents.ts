import type { Credentials } from '../../services/core/credentials/credentials.ts';
import { revealCredentials } from '../../services/core/credentials/credentials.ts';
import type { Vault } from '../../services/core/credentials/vault.ts';
import type { Database } from '../../services/store/database.ts';
import { listAgents } from '../../services/store/tables/agents.ts';
import { locateTenant } from '../../services/store/tables/tenants.ts';

/** What is written down of an agent; one that is disabled keeps its key, which is refused until it is enabled. */
export type KnownAgent = Credentials & { disabled?: true };
export type AgentCredentials = Record<string, KnownAgent>;

export interface AgentSource {
  db: Database;
  vault: Vault;
  /** The tenant's slug. */
  tenant: string;
}

/** Key and secret of every agent that has a file, by the agent's id. */
export async function liveAgents({ db, vault, tenant: slug }: AgentSource): Promise<AgentCredentials> {
  const tenant = await locateTenant(db, slug);
  if (!tenant) return {};
  const rows = await db.asTenant(tenant, listAgents);
  const known = rows
    .filter((row) => !row.deleted_at)
    .map(async ({ agent, disabled_at }): Promise<[string, KnownAgent]> => {
      const credentials = await revealCredentials({ db, vault }, { tenant, agent });
      return [agent, { ...credentials, ...(disabled_at && { disabled: true }) }];
    });
  return Object.fromEntries((await Promise.all(known)).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
