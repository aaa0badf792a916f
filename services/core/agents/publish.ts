import type { AgentVersion } from '../../agent-files/definition/compiled.ts';
import { problems } from '../../contract/problems.ts';
import type { Database, Tx } from '../../store/database.ts';
import { channels, type Notifier } from '../../store/notify.ts';
import { lockRevisions } from '../../store/tables/agent-revisions.ts';
import {
  activateVersions,
  insertVersions,
  listUnknownVersions,
  markAgentsDeletedExcept,
  setAgentDisabled,
} from '../../store/tables/agents.ts';
import { listAgentsWithoutKey } from '../../store/tables/credentials.ts';
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
export async function publishAgents(deps: PublishDeps, revision: Revision): Promise<Activation> {
  const activation = await deps.db.asTenant(revision.tenant, (tx) => publishWithin(tx, deps, revision));
  tellOf(deps.notifier, revision.tenant, activation);
  return activation;
}

/** As `publishAgents`, in a transaction of the caller's; who commits it tells of it with `tellOf`. */
export async function publishWithin(
  tx: Tx,
  { vault }: Pick<PublishDeps, 'vault'>,
  { tenant, versions, commit }: Revision,
): Promise<Activation> {
  await lockRevisions(tx, tenant);
  const rows = versions.map(({ hash, agent }) => ({
    agent: agent.agent,
    hash,
    definition: agent,
    settings: agent.settings,
  }));
  const agents = rows.map(({ agent }) => agent);
  // Of a thousand agents a revision changes one or two: only those are sent.
  const unknown = new Set((await listUnknownVersions(tx, rows)).map(({ agent }) => agent));
  if (unknown.size > 0)
    await insertVersions(tx, tenant, { versions: rows.filter(({ agent }) => unknown.has(agent)), commit });
  const changed = await activateVersions(tx, tenant, rows);
  for (const { agent } of await listAgentsWithoutKey(tx, agents)) await issueCredentials(tx, vault, { tenant, agent });
  const deleted = await markAgentsDeletedExcept(tx, agents);
  return { changed: changed.map(({ agent }) => agent), deleted: deleted.map(({ agent }) => agent) };
}

/** Lets the caches of all processes follow. */
export function tellOf(notifier: Notifier, tenant: string, { changed, deleted }: Activation): void {
  for (const agent of [...changed, ...deleted]) notifier.tell(channels.agents, `${tenant} ${agent}`);
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
