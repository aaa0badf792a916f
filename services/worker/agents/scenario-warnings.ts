import type { AgentVersion } from '../../agent-files/definition/compiled.ts';
import type { Fault } from '../../agent-files/faults.ts';
import type { AgentScenarios } from '../../agent-files/load.ts';
import { trialsOf, withoutPass } from '../../core/agents/gate.ts';
import { noteWarnings } from '../../core/agents/revisions.ts';
import type { Logger } from '../../process/logger.ts';
import { lockMarginMs, type ScenarioGateDeps } from './scenario-gate.ts';
import { failedOf, faultsOf, type TrySettings, tryScenarios, withoutVerdict } from './try-scenarios.ts';
import { underLock } from './under-lock.ts';

export interface ScenarioWarningsDeps extends ScenarioGateDeps {
  log: Pick<Logger, 'error' | 'warn'>;
  /** Told after each look, 0 included. */
  onFailing: (agents: number) => void;
}

/** What was made live. */
export interface LiveRevision {
  tenant: string;
  source: string;
  commit: string | null;
  versions: readonly AgentVersion[];
  scenarios: readonly AgentScenarios[];
}

/** Begins to look and returns at once; a look that is under way ends, as what it looks at is no longer live. */
export type ScenarioWarnings = (revision: LiveRevision) => void;

/**
 * Tries what the gate lets through without a pass: a live version whose scenarios were changed, or that a revert brought
 * back. It is live already, so nothing waits for this and nothing is refused: what fails is a warning of its revision.
 */
export function makeScenarioWarnings(deps: ScenarioWarningsDeps, settings: TrySettings): ScenarioWarnings {
  const { log } = deps;
  let last = new AbortController();
  return (revision) => {
    last.abort();
    last = new AbortController();
    const signal = AbortSignal.any([deps.signal, last.signal]);
    look({ ...deps, signal }, settings, revision).catch((err: unknown) => {
      if (!signal.aborted) log.error({ err }, 'the scenarios of live agents could not be tried');
    });
  };
}

async function look(deps: ScenarioWarningsDeps, settings: TrySettings, revision: LiveRevision): Promise<void> {
  const { db, log, onFailing, signal } = deps;
  const { tenant, source, commit } = revision;
  const { warnings, agents } = await warningsOf(deps, settings, revision);
  signal.throwIfAborted();
  for (const { file, line, column, rule, message } of warnings)
    log.warn({ place: `${file}:${line}:${column}`, rule, message, commit }, 'a warning about live agents');
  await noteWarnings({ db }, { tenant, source, commit, warnings });
  onFailing(agents);
}

async function warningsOf(
  deps: ScenarioWarningsDeps,
  settings: TrySettings,
  { tenant, versions, scenarios }: LiveRevision,
): Promise<{ warnings: Fault[]; agents: number }> {
  const { db, env, locks, signal } = deps;
  const trials = trialsOf({ versions, scenarios }, { model: settings.model, env });
  const due = () => withoutPass(db, tenant, trials);
  if ((await due()).length === 0) return { warnings: [], agents: 0 };
  const lock = { name: `scenario warnings ${tenant}`, withinMs: settings.deadlineMs + lockMarginMs, signal };
  const run = async () => tryScenarios(deps, settings, { tenant, due: await due() });
  const reports = await underLock(locks, lock, run).catch(withoutVerdict);
  if (!Array.isArray(reports)) return { warnings: [{ ...reports, severity: 'warning' }], agents: 0 };
  const faults = reports.flatMap((report) => faultsOf(report, scenarios));
  return {
    warnings: faults.map((fault) => ({ ...fault, severity: 'warning' as const })),
    agents: failedOf(reports).size,
  };
}
