import { type FSWatcher, watch } from 'node:fs';
import { policiesFileName } from '../../agent-files/check-files.ts';
import { loadAgents, readAgentTexts } from '../../agent-files/load.ts';
import { FileMemory } from '../../agent-files/read/file-memory.ts';
import { type AgentFileText, noteFiles } from '../../core/agents/source-files.ts';
import { blobId } from '../../core/agents/writers.ts';
import { writingToFolder } from '../../core/agents/writing.ts';
import { type Loop, startLoop } from '../../process/loop.ts';
import { type ActivateDeps, activateRevision } from './activate.ts';
import { fingerprintOf } from './fingerprint.ts';
import { ownerOf } from './owner.ts';
import type { AgentsSource, OnRevision } from './source.ts';

export interface FolderSourceOptions {
  directory: string;
  /** Slug of the tenant that the agents belong to. */
  tenant: string;
  environment: 'development' | 'production';
  onRevision: OnRevision;
}

/** A watcher's events can be lost or missing (network and container mounts): look by ourselves this often too. */
const pollMs = 2_000;
/** Editors write a file in several steps. */
const settleMs = 100;

/**
 * Keeps the agents of a folder live: at the start and whenever a file changes, all of them or, when any has a fault, none.
 * While the database is away it tries again until it holds.
 */
export function watchAgentsFolder(deps: ActivateDeps, options: FolderSourceOptions): AgentsSource {
  const memory = new FileMemory();
  let settled: string | undefined;
  let asked = 0;
  const look = async () => {
    // What was asked for is part of what was seen: a request that comes during a look is for the next one.
    const fingerprint = `${asked} ${await fingerprintOf(options.directory)}`;
    if (fingerprint === settled) return;
    await publishFolder(deps, options, memory);
    settled = fingerprint;
  };
  const loop = startLoop(pollMs, look, (err) => deps.log.warn({ err }, 'agents could not be published; trying again'));
  const watcher = watchFor(options.directory, loop);
  return {
    nudge: loop.nudge,
    judgeAgain: () => {
      asked += 1;
      loop.nudge();
    },
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

/** The files of the agents themselves, which people may change. */
async function agentTextsIn(directory: string): Promise<AgentFileText[]> {
  const { texts } = await readAgentTexts(directory);
  return [...texts].flatMap(([name, text]) => {
    const agent = name === policiesFileName ? undefined : /^([^/]+)\.yaml$/.exec(name)?.[1];
    return agent === undefined ? [] : [{ agent, id: blobId(text), text }];
  });
}

async function publishFolder(deps: ActivateDeps, options: FolderSourceOptions, memory: FileMemory): Promise<void> {
  const { tenant, webhookEnabled } = await ownerOf(deps.db, options.tenant);
  const source = { tenant, source: 'folder', commit: null, seen: undefined, ...writingToFolder(options.environment) };
  await noteFiles(deps.db, source, await agentTextsIn(options.directory));
  const {
    agents: versions,
    faults,
    scenarios,
  } = await loadAgents(options.directory, {
    environment: options.environment,
    webhookEnabled,
    policies: deps.policies ?? [],
    variables: deps.declaredVariables,
    providerHosts: deps.providerHosts,
    memory,
  });
  // Files have no order that two workers could agree on: who looks last decides.
  const origin = { tenant, source: 'folder', commit: null, author: null, subject: null };
  const found = { ...origin, versions, faults, scenarios, seen: undefined };
  options.onRevision(await activateRevision(deps, found), versions.length);
}
