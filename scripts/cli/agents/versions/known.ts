import { problems } from '../../../../services/contract/problems.ts';
import {
  findAgent,
  type LiveAgentRow,
  listVersions,
  type VersionRow,
} from '../../../../services/store/tables/agents.ts';
import { Fault } from '../../../toolchain/fault.ts';
import type { Operator } from '../../operator.ts';

export interface Known {
  live: LiveAgentRow;
  /** Newest first. */
  versions: VersionRow[];
}

/** @throws Problem `agent_not_found` */
export async function readVersions({ db, tenant }: Operator, agent: string): Promise<Known> {
  return db.asTenant(tenant, async (tx) => {
    const live = await findAgent(tx, agent);
    if (!live) throw problems.agentNotFound(agent);
    return { live, versions: await listVersions(tx, agent) };
  });
}

/** The version whose hash or commit begins so. @throws Fault */
export function named({ versions }: Known, name: string): VersionRow {
  const found = versions.filter(({ hash, commit }) => hash.startsWith(name) || commit?.startsWith(name));
  const [version, ...others] = found;
  if (!version) throw new Fault(`There is no version "${name}"; "history" lists them.`);
  if (others.length > 0) throw new Fault(`"${name}" begins the names of several versions; write more of it.`);
  return version;
}

/**
 * Of the live version, what was live just before it, which after going back is one that came later; of another, or where that is not
 * known any more, the one whose life began before its own.
 */
export function versionBefore({ live, versions }: Known, version: VersionRow): VersionRow | undefined {
  const replaced =
    version.hash === live.version_hash ? versions.find(({ hash }) => hash === live.version_before) : undefined;
  return replaced ?? versions[versions.indexOf(version) + 1];
}

export function liveOne({ live, versions }: Known): VersionRow {
  const version = versions.find(({ hash }) => hash === live.version_hash);
  if (!version) throw new Error('a live agent has no version');
  return version;
}
