import type { AgentVersion } from '../../contract/agents/compiled.ts';
import { problems } from '../../contract/problems.ts';
import type { Database } from '../../store/database.ts';
import { channels, type Notifier } from '../../store/notify.ts';
import {
  activateVersion,
  insertVersion,
  markAgentsDeletedExcept,
  setAgentDisabled,
} from '../../store/tables/agents.ts';
import { listKeys } from '../../store/tables/credentials.ts';
import { issueCredentials } from '../credentials/credentials.ts';
import type { Vault } from '../credentials/vault.ts';

export interface PublishDeps {
  db: Database;
  vault: Vault;
  notifier: Notifier;
}

export interface Revision {
  tenant: string;
  versions: readonly AgentVersion[];
  /** The commit they come from; null for a watched folder. */
  commit: string | null;
}

export interface Activation {
  changed: string[];
  deleted: string[];
}

/**
 * Makes a revision live, all or nothing: every version becomes an immutable row and its agent's live one, an agent whose
 * file is gone is disabled, and an agent that is new gets its credentials. Running sessions keep the version they began with.
 */
export async function publishAgents(
  { db, vault, notifier }: PublishDeps,
  { tenant, versions, commit }: Revision,
): Promise<Activation> {
  const activation = await db.asTenant(tenant, async (tx) => {
    const changed: string[] = [];
    for (const { hash, agent: definition } of versions) {
      const { agent, settings } = definition;
      await insertVersion(tx, tenant, { agent, hash, definition, commit });
      if (await activateVersion(tx, tenant, { agent, hash, settings })) changed.push(agent);
      if ((await listKeys(tx, agent)).length === 0) await issueCredentials(tx, vault, { tenant, agent });
    }
    const deleted = await markAgentsDeletedExcept(
      tx,
      versions.map((version) => version.agent.agent),
    );
    return { changed, deleted: deleted.map((row) => row.agent) };
  });
  for (const agent of [...activation.changed, ...activation.deleted])
    notifier.tell(channels.agents, `${tenant} ${agent}`);
  return activation;
}

/** The operator's switch: a disabled agent's key is refused, its running sessions finish. @throws Problem `agent_not_found` */
export async function setAgentEnabled(
  { db, notifier }: Pick<PublishDeps, 'db' | 'notifier'>,
  { tenant, agent, enabled }: { tenant: string; agent: string; enabled: boolean },
): Promise<void> {
  const found = await db.asTenant(tenant, (tx) => setAgentDisabled(tx, agent, !enabled));
  if (!found) throw problems.agentNotFound(agent);
  notifier.tell(channels.agents, `${tenant} ${agent}`);
}
