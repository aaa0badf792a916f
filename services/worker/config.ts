import { relative, resolve, sep } from 'node:path';
import { nameOfFilled } from '../core/git/branch-config.ts';
import type { CommitStatusSettings } from '../core/git/commit-status.ts';
import { type ProcessConfig, readMasterKeys, readProcessConfig } from '../core/process-config.ts';
import { aText, type EnvironmentReader, readEnvironment } from '../process/environment.ts';
import { readGitSettings } from './agents/git-config.ts';
import type { GitSourceSettings } from './agents/git-source.ts';
import type { ScenarioGateSettings } from './agents/scenario-gate.ts';
import { readScenarioGateSettings } from './agents/scenario-gate-config.ts';

export interface WorkerConfig extends ProcessConfig {
  masterKeys: string;
  /** The folder that agents are read from and watched in; without it and a repository this worker leaves agents alone. */
  agentsFolder: string | undefined;
  /** Rules over agents that are code and not the authors' to change; read at the start. */
  policiesFolder: string | undefined;
  /** The repository that agents are read from instead. */
  agentsGit: GitSourceSettings | undefined;
  /** What the Git host signs its push events with; undefined where they are not set up. */
  pushSecret: string | undefined;
  /** What a pipeline signs the passes with that it hands over; undefined where none are taken. */
  passesSecret: string | undefined;
  /** Where the Git host is told what came of a commit; undefined where it is not. */
  commitStatus: CommitStatusSettings | undefined;
  /** Slug of the tenant that the agents belong to. */
  tenant: string;
  scenarioGate: ScenarioGateSettings;
  /** What the waits between attempts of a delivery are multiplied by: 1, unless a test is in a hurry. */
  retryScale: number;
}

/** @throws ConfigurationError that names every variable at fault. */
export function readConfig(environment: Record<string, string | undefined>): WorkerConfig {
  const env = readEnvironment(environment);
  const common = readProcessConfig(env, { internalPort: 7803 });
  const tenant = env.optional('PARLEY_TENANT', 'local', "a tenant's slug", aText);
  const git = readGitSettings(env, environment, { mode: common.environment, tenant });
  const config: WorkerConfig = {
    ...common,
    masterKeys: readMasterKeys(env),
    agentsFolder: env.optional('PARLEY_AGENTS_DIR', undefined, 'the folder of the agents', aText),
    agentsGit: git.source,
    pushSecret: git.pushSecret,
    commitStatus: git.commitStatus,
    passesSecret: readPassesSecret(env, environment),
    policiesFolder: env.optional('PARLEY_POLICIES', undefined, "the folder of the operator's own policies", aText),
    tenant,
    scenarioGate: readScenarioGateSettings(env),
    retryScale: env.optional('PARLEY_RETRY_SCALE', 1, 'a number above 0, at most 1', aShareOfOne),
  };
  if (config.agentsFolder !== undefined && git.source !== undefined)
    env.fault('PARLEY_AGENTS_DIR and PARLEY_AGENTS_GIT_URL are both set: agents come from one of them.');
  if (isWithin(config.policiesFolder, config.agentsFolder))
    env.fault('PARLEY_POLICIES lies in PARLEY_AGENTS_DIR: whoever writes agents must not write the code of policies.');
  env.finish();
  return config;
}

function readPassesSecret(env: EnvironmentReader, variables: Record<string, string | undefined>): string | undefined {
  const named = env.optional(
    'PARLEY_AGENTS_PASSES_SECRET_ENV',
    undefined,
    'the name of a variable that holds the secret of scenario passes',
    nameOfFilled(variables),
  );
  return named === undefined ? undefined : variables[named]?.trim();
}

function isWithin(folder: string | undefined, other: string | undefined): boolean {
  if (folder === undefined || other === undefined) return false;
  const way = relative(resolve(other), resolve(folder));
  return way !== '..' && !way.startsWith(`..${sep}`);
}

function aShareOfOne(text: string): number | undefined {
  const number = Number(text);
  return number > 0 && number <= 1 ? number : undefined;
}
