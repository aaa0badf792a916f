import type { CheckOptions } from '../../agent-files/check-files.ts';
import type { WritableSource } from '../../core/agents/perform-change.ts';
import { folderWriter, gitWriter, type Writer } from '../../core/agents/writers.ts';
import { writingToFolder, writingToGit } from '../../core/agents/writing.ts';
import type { Variables } from '../../process/variables.ts';
import type { WorkerConfig } from '../config.ts';
import type { ActivateDeps } from './activate.ts';
import { ownerOf } from './owner.ts';
import type { AgentsSource } from './source.ts';

/** What this worker may write of the agents that it keeps; undefined where it is nothing. */
export function writableSource(
  deps: ActivateDeps,
  config: WorkerConfig,
  { variables, source }: { variables: Variables; source: () => AgentsSource | undefined },
): WritableSource | undefined {
  const write = writerOf(config, variables);
  if (!write) return undefined;
  return {
    tenant: async () => (await ownerOf(deps.db, config.tenant)).tenant,
    write,
    options: () => optionsOf(deps, config),
    onWritten: () => source()?.nudge(),
  };
}

function writerOf(
  { agentsGit, agentsFolder, environment, commitStatus }: WorkerConfig,
  env: Variables,
): Writer | undefined {
  if (agentsFolder !== undefined)
    return writingToFolder(environment).writing === 'file' ? folderWriter(agentsFolder) : undefined;
  if (!agentsGit || writingToGit(agentsGit).writing === 'read_only') return undefined;
  const { writeTokenEnv = agentsGit.tokenEnv } = agentsGit;
  return gitWriter({ ...agentsGit, tokenEnv: writeTokenEnv, env, host: commitStatus?.host });
}

async function optionsOf(
  { db, policies = [], declaredVariables, providerHosts }: ActivateDeps,
  { tenant, environment }: WorkerConfig,
): Promise<CheckOptions> {
  const { webhookEnabled } = await ownerOf(db, tenant);
  return { environment, webhookEnabled, policies, variables: declaredVariables, providerHosts };
}
