import { wholeFile } from '../../agent-files/check-files.ts';
import type { AgentVersion } from '../../agent-files/definition/compiled.ts';
import { promptOverride } from '../../agent-files/definition/prompt-override.ts';
import { type Fault, isError } from '../../agent-files/faults.ts';
import type { AgentScenarios } from '../../agent-files/load.ts';
import type { NamedPolicy } from '../../agent-files/policies/policy.ts';
import type { PublishDeps } from '../../core/agents/publish.ts';
import { judgeRevision } from '../../core/agents/revisions.ts';
import { noteActivations } from '../../core/agents/source-files.ts';
import type { CommitStatusSettings } from '../../core/git/commit-status.ts';
import type { Logger } from '../../process/logger.ts';
import { noteScenarios } from './run-asked.ts';
import type { ScenarioGate } from './scenario-gate.ts';
import type { ScenarioWarnings } from './scenario-warnings.ts';

export interface ActivateDeps extends PublishDeps {
  log: Logger;
  /** The operator's own rules, in addition to the policies.yaml beside the agents. */
  policies?: readonly NamedPolicy[];
  /** Names of the variables that the operator has declared for agents. Without it whoever refers to one is not checked. */
  declaredVariables?: readonly string[];
  /** Servers of models and speech that the operator lists. */
  providerHosts?: readonly string[];
  /** Asked last, about revisions that have no fault. */
  scenarioGate?: ScenarioGate;
  /** Begun after each activation, about what went live. */
  scenarioWarnings?: ScenarioWarnings;
  /** Told after each activation, 0 included. */
  onHeldBack?: (agents: number) => void;
  /** Where the Git host is told what came of a commit; not at all when undefined. */
  commitStatus?: CommitStatusSettings | undefined;
}

/** What a source holds at the moment. */
export interface FoundRevision {
  tenant: string;
  /** Told to people; never with a credential in it. */
  source: string;
  /** Null for a folder, as are author and subject. */
  commit: string | null;
  author: string | null;
  subject: string | null;
  versions: readonly AgentVersion[];
  faults: readonly Fault[];
  scenarios: readonly AgentScenarios[];
  /** See `OfferedRevision`. */
  seen: number | null | undefined;
}

/** `refused`: the last good revision stays live. `overtaken`: another worker has seen a later one. */
export type RevisionOutcome = 'activated' | 'refused' | 'overtaken';

const linesLogged = 10;

/** What every source ends in: all agents live or none, stored with the reasons, and told in the log. */
export async function activateRevision(deps: ActivateDeps, found: FoundRevision): Promise<RevisionOutcome> {
  const { log, commitStatus } = deps;
  const { tenant, source, commit, author, subject, seen } = found;
  const prompts = found.versions.flatMap(({ agent }) => promptOverride(agent) ?? []);
  for (const fault of [...found.faults, ...prompts]) logFault(log, fault, commit);
  const { versions, faults, heldBack } = await gated(deps, found);
  const errors = whyRefused(versions, faults);
  const isRefused = errors.length > 0;
  const judgement = await judgeRevision(deps, {
    ...{ tenant, source, commit, author, subject, versions, seen },
    state: isRefused ? 'refused' : 'active',
    reasons: isRefused ? errors : heldBack,
    wantsCommitStatus: commitStatus !== undefined,
  });
  if (judgement.outcome !== 'overtaken') {
    await noteActivations(deps.db, tenant);
    await noteScenarios(deps.db, tenant, found.scenarios);
  }
  const fields = { source, commit, agents: versions.length };
  switch (judgement.outcome) {
    case 'activated':
      deps.onHeldBack?.(new Set(heldBack.map(({ file }) => file)).size);
      if (heldBack.length > 0) log.error({ ...fields, reason: linesOf(heldBack) }, 'some agents were held back');
      log.info({ ...fields, ...judgement.activation }, 'the agents are live');
      deps.scenarioWarnings?.({ ...found, versions: withoutHeldBack(found.versions, versions) });
      break;
    case 'refused':
      log.error(
        { ...fields, faults: errors.length, reason: linesOf(errors) },
        'the agents were refused; the last good revision stays live',
      );
      break;
    case 'overtaken':
      log.info(fields, 'another worker has seen a later revision');
      break;
  }
  return judgement.outcome;
}

/** Scenarios cost the most and are asked last: of a revision that is refused anyway, none runs. */
async function gated({ log, scenarioGate }: ActivateDeps, found: FoundRevision) {
  const { tenant, versions, faults, scenarios, commit } = found;
  const ungated = { versions, faults, heldBack: [] };
  if (!scenarioGate || whyRefused(versions, faults).length > 0) return ungated;
  const passed = await scenarioGate({ tenant, versions, scenarios });
  for (const fault of [...passed.faults, ...passed.heldBack]) logFault(log, fault, commit);
  return { ...passed, faults: [...faults, ...passed.faults] };
}

/** Of an agent that is held back it was told already what it fails. */
function withoutHeldBack(offered: readonly AgentVersion[], live: readonly AgentVersion[]): AgentVersion[] {
  const kept = new Set(live);
  return offered.filter((version) => kept.has(version));
}

function whyRefused(versions: readonly AgentVersion[], faults: readonly Fault[]): Fault[] {
  const errors = faults.filter(isError);
  if (errors.length > 0 || versions.length > 0) return errors;
  // Nothing at all is more likely a mount or a path that is wrong than the wish to disable every agent.
  return [wholeFile('.', 'folder', 'There is no agent: an agent is a file such as front-desk.yaml.')];
}

function linesOf(faults: readonly Fault[]): string {
  const more = faults.length > linesLogged ? [`and ${faults.length - linesLogged} more`] : [];
  const lines = faults.slice(0, linesLogged).map((fault) => `${positionOf(fault)} ${fault.message}`);
  return [...lines, ...more].join('\n');
}

const positionOf = ({ file, line, column }: Fault): string => `${file}:${line}:${column}`;

function logFault(log: Logger, fault: Fault, commit: string | null): void {
  const fields = { place: positionOf(fault), rule: fault.rule, message: fault.message, ...(commit && { commit }) };
  if (fault.severity === 'error') log.error(fields, 'a fault in the agents');
  else log.warn(fields, 'a warning about the agents');
}
