import type { Fault } from '../../agent-files/faults.ts';
import type { AgentScenarios } from '../../agent-files/load.ts';
import type { ModelChoice, ScenarioFailure, ScenarioReport } from '../../agent-files/scenarios/report.ts';
import { recordPasses, recordResults, type Trial } from '../../core/agents/gate.ts';
import type { Logger } from '../../process/logger.ts';
import { runScenarioProcess, ScenariosBroke, ScenariosTooSlow } from '../../scenario-runner/child-process.ts';
import type { Database } from '../../store/database.ts';
import { retryBroken } from './retry-broken.ts';

export interface TryDeps {
  db: Database;
  log: Pick<Logger, 'error'>;
  env: Readonly<Record<string, string | undefined>>;
  /** Ends what runs. */
  signal: AbortSignal;
}

export interface TrySettings {
  /** On what agents with a script are tried. */
  model: ModelChoice;
  deadlineMs: number;
}

const linesShown = 5;
const textShown = 300;

/** Before it is told that the scenarios cannot be run at all. */
const brokenWaitsMs: readonly number[] = [1_000, 5_000];

/** Runs what is due in one process and stores what passed. @throws ScenariosTooSlow, ScenariosBroke */
export async function tryScenarios(
  { db, env, log, signal }: TryDeps,
  { model, deadlineMs }: TrySettings,
  { tenant, due }: { tenant: string; due: readonly Trial[] },
): Promise<ScenarioReport[]> {
  if (due.length === 0) return [];
  const jobs = due.map((trial) => ({ definition: trial.version.agent, scenarios: trial.scenarios }));
  const run = () => runScenarioProcess({ settings: { model, live: false }, jobs }, { env, deadlineMs, signal });
  const onBroke = (err: ScenariosBroke) => log.error({ err }, 'the scenarios broke');
  const reports = await retryBroken(run, { waitsMs: brokenWaitsMs, onBroke, signal });
  const failed = failedOf(reports);
  await recordResults(db, tenant, due, reports);
  await recordPasses(
    db,
    tenant,
    due.filter(({ agent }) => !failed.has(agent)),
  );
  return reports;
}

export const failedOf = (reports: readonly ScenarioReport[]): Set<string> =>
  new Set(reports.filter(({ outcome }) => outcome === 'failed').map(({ agent }) => agent));

/** Why there is no verdict. Rethrows when it was the database or a stop that kept us from it: it is tried again then. */
export function withoutVerdict(error: unknown): Fault {
  if (!(error instanceof ScenariosTooSlow || error instanceof ScenariosBroke)) throw error;
  const message = error instanceof ScenariosTooSlow ? error.message : broke;
  return { file: 'scenarios', line: 1, column: 1, rule: 'scenario', message, severity: 'error' };
}

/** What it said of itself is in the log: authors could do nothing with it. */
const broke = `What runs the scenarios broke ${brokenWaitsMs.length + 1} times. The worker's log says why; a new commit is tried again.`;

/** What failed, with its position in the agent's file. */
export function faultsOf(report: ScenarioReport, files: readonly AgentScenarios[]): Fault[] {
  if (report.outcome !== 'failed') return [];
  const file = files.find(({ agent }) => agent === report.agent);
  return report.failures.slice(0, linesShown).map((failure) => {
    const position = file?.positionOf({ scenario: report.index, turn: failure.turn });
    return {
      ...(position ?? { file: `scenarios/${report.agent}.yaml`, line: 1, column: 1 }),
      rule: 'scenario',
      message: sentence(report, failure),
      severity: 'error',
    };
  });
}

function sentence(
  { name, runs, passes, model }: ScenarioReport,
  { turn, said, expected, got }: ScenarioFailure,
): string {
  const where = turn === null ? 'as a whole' : `turn ${turn}, after "${cut(said ?? '')}"`;
  const rate = runs > 1 ? ` (${passes} of ${runs} runs passed on ${model})` : '';
  return `The scenario "${name}" fails${rate}, ${where}: expected ${cut(expected)}; got ${cut(got)}.`;
}

const cut = (text: string): string => (text.length > textShown ? `${text.slice(0, textShown)}…` : text);
