import type { AgentVersion } from '../../contract/agents/compiled.ts';
import type { Fault } from '../../contract/agents/faults.ts';
import type { AgentScenarios } from '../../contract/agents/load.ts';
import type { ModelChoice, ScenarioFailure, ScenarioReport } from '../../contract/scenarios/report.ts';
import { liveVersion, recordPasses, type Trial, trialsOf, untried } from '../../core/agents/gate.ts';
import type { Logger } from '../../core/logger.ts';
import type { Database } from '../../store/database.ts';
import type { PoolLocks } from '../jobs/pool-locks.ts';
import { inTurn } from './in-turn.ts';
import { patiently } from './patiently.ts';
import { runScenarioProcess, ScenariosBroke, ScenariosTooSlow } from './scenario-process.ts';

export interface ScenarioGateSettings {
  /** On what agents with a script are tried. */
  model: ModelChoice;
  /** Whether a failing scenario holds back its own agent only, instead of the revision. */
  byAgent: boolean;
  deadlineMs: number;
}

export interface ScenarioGateDeps {
  db: Database;
  log: Pick<Logger, 'error'>;
  locks: Pick<PoolLocks, 'hold' | 'letGo'>;
  env: Readonly<Record<string, string | undefined>>;
  /** Aborted when the worker stops. */
  signal: AbortSignal;
}

export interface GatedRevision {
  /** What may be made live. */
  versions: readonly AgentVersion[];
  /** Why the revision is refused as a whole. */
  faults: Fault[];
  /** Why some agents stay as they are while the others go live. */
  heldBack: Fault[];
}

export type ScenarioGate = (revision: {
  tenant: string;
  versions: readonly AgentVersion[];
  scenarios: readonly AgentScenarios[];
}) => Promise<GatedRevision>;

const linesShown = 5;
const textShown = 300;

/** Before a revision is refused because its scenarios cannot be run at all. */
const brokenWaitsMs: readonly number[] = [1_000, 5_000];

/** Longer than whoever has the turn may take. */
const turnMarginMs = 10_000;

/**
 * The last gate before an activation: versions that are new run their scenarios, and what passed is stored. All workers hear
 * of a push; one after another they come here, and who comes second finds the passes of the first.
 */
export const makeScenarioGate =
  (deps: ScenarioGateDeps, settings: ScenarioGateSettings): ScenarioGate =>
  async ({ tenant, versions, scenarios }) => {
    const { db, env, locks, signal } = deps;
    const trials = trialsOf({ versions, scenarios }, { model: settings.model, env });
    if ((await untried(db, tenant, trials)).length === 0) return { versions, faults: [], heldBack: [] };
    const turn = { name: `scenarios ${tenant}`, withinMs: settings.deadlineMs + turnMarginMs, signal };
    const reports = await inTurn(locks, turn, () => runUntried(deps, settings, { tenant, trials })).catch(
      withoutVerdict,
    );
    if (!Array.isArray(reports)) return { versions, faults: [reports], heldBack: [] };
    const faults = reports.flatMap((report) => faultsOf(report, scenarios));
    if (!settings.byAgent) return { versions, faults, heldBack: [] };
    return { versions: await withoutFailed({ db, tenant }, versions, failedOf(reports)), faults: [], heldBack: faults };
  };

async function runUntried(
  { db, env, log, signal }: ScenarioGateDeps,
  { model, deadlineMs }: ScenarioGateSettings,
  { tenant, trials }: { tenant: string; trials: readonly Trial[] },
): Promise<ScenarioReport[]> {
  const due = await untried(db, tenant, trials);
  if (due.length === 0) return [];
  const jobs = due.map((trial) => ({ definition: trial.version.agent, scenarios: trial.scenarios }));
  const run = () => runScenarioProcess({ settings: { model, live: false }, jobs }, { env, deadlineMs, signal });
  const onBroke = (err: ScenariosBroke) => log.error({ err }, 'the scenarios broke');
  const reports = await patiently(run, { waitsMs: brokenWaitsMs, onBroke, signal });
  const failed = failedOf(reports);
  await recordPasses(
    db,
    tenant,
    due.filter(({ agent }) => !failed.has(agent)),
  );
  return reports;
}

const failedOf = (reports: readonly ScenarioReport[]): Set<string> =>
  new Set(reports.filter(({ outcome }) => outcome === 'failed').map(({ agent }) => agent));

/** What has not been tried does not go live; when it was the database or a stop that kept us from it, it is tried again. */
function withoutVerdict(error: unknown): Fault {
  if (!(error instanceof ScenariosTooSlow || error instanceof ScenariosBroke)) throw error;
  const message = error instanceof ScenariosTooSlow ? error.message : broke;
  return { file: 'scenarios', line: 1, column: 1, rule: 'scenario', message, severity: 'error' };
}

/** What it said of itself is in the log: authors could do nothing with it. */
const broke = `What runs the scenarios broke ${brokenWaitsMs.length + 1} times. The worker's log says why; a new commit is tried again.`;

/** An agent that fails stays as it is; one that was never live does not become so. */
async function withoutFailed(
  { db, tenant }: { db: Database; tenant: string },
  versions: readonly AgentVersion[],
  failed: ReadonlySet<string>,
): Promise<AgentVersion[]> {
  const kept = await Promise.all(
    versions.map((version) =>
      failed.has(version.agent.agent) ? liveVersion(db, tenant, version.agent.agent) : Promise.resolve(version),
    ),
  );
  return kept.filter((version) => version !== undefined);
}

function faultsOf(report: ScenarioReport, files: readonly AgentScenarios[]): Fault[] {
  if (report.outcome !== 'failed') return [];
  const file = files.find(({ agent }) => agent === report.agent);
  return report.failures.slice(0, linesShown).map((failure) => {
    const place = file?.placeOf({ scenario: report.index, turn: failure.turn });
    return {
      ...(place ?? { file: `scenarios/${report.agent}.yaml`, line: 1, column: 1 }),
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
