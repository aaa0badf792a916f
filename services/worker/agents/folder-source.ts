import { type FSWatcher, watch } from 'node:fs';
import { isError } from '../../contract/agents/faults.ts';
import { type Fault, loadAgents } from '../../contract/agents/load.ts';
import { type PublishDeps, publishAgents } from '../../core/agents/publish.ts';
import type { Logger } from '../../core/logger.ts';
import { findTenant, locateTenant } from '../../store/tables/tenants.ts';
import { type Loop, startLoop } from '../loop.ts';
import { fingerprintOf } from './fingerprint.ts';

export interface FolderSourceDeps extends PublishDeps {
  log: Logger;
}

export interface FolderSourceOptions {
  directory: string;
  /** Slug of the tenant that the agents belong to. */
  tenant: string;
  environment: 'development' | 'production';
  onRevision: (outcome: RevisionOutcome, agents: number) => void;
}

/** `refused`: the files have faults, and the last good revision stays live. */
export type RevisionOutcome = 'activated' | 'refused';

export interface AgentsSource {
  stop(): Promise<void>;
}

/** A watcher's events can be lost or missing (network and container mounts): look by ourselves this often too. */
const pollMs = 2_000;
/** Editors write a file in several steps. */
const settleMs = 100;

/**
 * Keeps the agents of a folder live: at the start and whenever a file changes, all of them or, when any has a fault, none.
 * While the database is away it tries again until it holds.
 */
export function watchAgentsFolder(deps: FolderSourceDeps, options: FolderSourceOptions): AgentsSource {
  let settled: string | undefined;
  const look = async () => {
    const fingerprint = await fingerprintOf(options.directory);
    if (fingerprint === settled) return;
    await publishFolder(deps, options);
    settled = fingerprint;
  };
  const loop = startLoop(pollMs, look, (err) => deps.log.warn({ err }, 'agents could not be published; trying again'));
  const watcher = watchFor(options.directory, loop);
  return {
    stop: async () => {
      watcher?.close();
      await loop.stop();
    },
  };
}

function watchFor(directory: string, loop: Loop): FSWatcher | undefined {
  let timer: NodeJS.Timeout | undefined;
  try {
    const watcher = watch(directory, { recursive: true, persistent: false }, () => {
      clearTimeout(timer);
      timer = setTimeout(loop.nudge, settleMs);
    });
    // The folder was removed, or the system has no watches left: the poll goes on.
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

async function publishFolder(deps: FolderSourceDeps, options: FolderSourceOptions): Promise<void> {
  const { log } = deps;
  const tenant = await locateTenant(deps.db, options.tenant);
  if (!tenant) throw new Error(`there is no tenant "${options.tenant}" yet`);
  const owner = await deps.db.asTenant(tenant, (tx) => findTenant(tx, tenant));
  const { agents, faults } = await loadAgents(options.directory, {
    environment: options.environment,
    webhookEnabled: owner?.features.webhook ?? false,
  });
  for (const fault of faults) logFault(log, fault);
  // An empty folder is more likely a mount that is missing than the wish to disable every agent.
  if (faults.some(isError) || agents.length === 0) {
    log.error({ faults: faults.length }, 'the agents were refused; the last good revision stays live');
    return options.onRevision('refused', agents.length);
  }
  const { changed, deleted } = await publishAgents(deps, { tenant, versions: agents, commit: null });
  log.info({ agents: agents.length, changed, deleted }, 'the agents are live');
  options.onRevision('activated', agents.length);
}

function logFault(log: Logger, { file, line, column, rule, message, severity }: Fault): void {
  const fields = { place: `${file}:${line}:${column}`, rule, message };
  if (severity === 'error') log.error(fields, 'a fault in the agents');
  else log.warn(fields, 'a warning about the agents');
}
