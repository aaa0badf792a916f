import { relative, resolve, sep } from 'node:path';
import type { CommitStatusSettings } from '../core/git/commit-status.ts';
import type { Variables } from '../process/variables.ts';
import { secretNamed } from '../settings/forms.ts';
import { readSettings } from '../settings/read.ts';
import { type SettingsOf, settings } from '../settings/settings.ts';
import type { GitSourceSettings } from './agents/git-source.ts';
import type { ScenarioGateSettings } from './agents/scenario-gate.ts';

type Given = SettingsOf<'worker'>;

export interface WorkerConfig extends Given {
  /** The repository that agents are read from; without it and a folder this worker leaves agents alone. */
  agentsGit: GitSourceSettings | undefined;
  /** What the Git host signs its push events with; undefined where they are not set up. */
  pushSecret: string | undefined;
  /** What a pipeline signs the passes with that it hands over; undefined where none are taken. */
  passesSecret: string | undefined;
  /** Where the Git host is told what came of a commit; undefined where it is not. */
  commitStatus: CommitStatusSettings | undefined;
  scenarioGate: ScenarioGateSettings;
}

/** @throws ConfigurationError that names every variable at fault. */
export function readConfig(variables: Variables): WorkerConfig {
  const given = readSettings('worker', variables, checkSources);
  const { repository } = given;
  return {
    ...given,
    agentsGit: repository && { ...repository, pollMs: repository.pollSeconds * 1_000 },
    pushSecret: secretNamed(repository?.pushSecretEnv, variables),
    passesSecret: secretNamed(given.passesSecretEnv, variables),
    commitStatus: commitStatusOf(given),
    scenarioGate: {
      model: given.scenarioModel,
      byAgent: given.activation === 'by-agent',
      deadlineMs: given.scenarioSeconds * 1_000,
    },
  };
}

function commitStatusOf({ repository, tenant }: Given): CommitStatusSettings | undefined {
  const status = repository?.status;
  return status && { ...status, context: status.context ?? `parley/${tenant}` };
}

function checkSources({ agentsFolder, policiesFolder, repository }: Given, fault: (text: string) => void): void {
  const folder = settings.agentsFolder.name;
  if (agentsFolder !== undefined && repository !== undefined)
    fault(`${folder} and ${settings.repository.settings.url.name} are both set: agents come from one of them.`);
  if (isWithin(policiesFolder, agentsFolder))
    fault(
      `${settings.policiesFolder.name} lies in ${folder}: whoever writes agents must not write the code of policies.`,
    );
}

function isWithin(folder: string | undefined, other: string | undefined): boolean {
  if (folder === undefined || other === undefined) return false;
  const way = relative(resolve(other), resolve(folder));
  return way !== '..' && !way.startsWith(`..${sep}`);
}
