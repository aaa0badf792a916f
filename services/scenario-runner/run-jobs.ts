import { agentForScenarios, modelName } from '../agent-files/scenarios/model.ts';
import type { ScenarioJob, ScenarioReport, ScenarioSettings } from '../agent-files/scenarios/report.ts';
import type { Scenario } from '../contract/generated/scenario.ts';
import { type Run, type RunDeps, runOnce } from './run-scenario.ts';

/** On the scripted model a conversation waits for nothing: more at once would only take more memory. */
const scriptedAtOnce = 16;
/** More at once would only meet the limits of a provider. */
const onModelsAtOnce = 8;

interface Task {
  job: ScenarioJob;
  scenario: Scenario;
  index: number;
}

/**
 * Runs all scenarios of some agents, several at once; reports come in the order of the scenarios, `onReport` hears of each as it is
 * done. Never throws for an agent's sake.
 */
export async function runJobs(
  deps: RunDeps,
  settings: ScenarioSettings,
  jobs: readonly ScenarioJob[],
  onReport: (progress: { done: number; of: number }) => void = () => undefined,
): Promise<ScenarioReport[]> {
  const tasks = jobs.flatMap((job) => job.scenarios.map((scenario, index): Task => ({ job, scenario, index })));
  const reports: ScenarioReport[] = [];
  const waiting = tasks.entries();
  let done = 0;
  const isScripted = ({ job }: Task) =>
    modelName(agentForScenarios(job.definition, settings.model), deps.env) === 'scripted';
  const atOnce = tasks.every(isScripted) ? scriptedAtOnce : onModelsAtOnce;
  const work = async () => {
    for (const [index, task] of waiting) {
      reports[index] = await report(deps, settings, task);
      done += 1;
      onReport({ done, of: tasks.length });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return reports;
}

async function report(
  deps: RunDeps,
  settings: ScenarioSettings,
  { job, scenario, index }: Task,
): Promise<ScenarioReport> {
  const definition = agentForScenarios(job.definition, settings.model);
  const model = modelName(definition, deps.env);
  const base = { agent: definition.agent, index, name: scenario.name, model };
  if (scenario.live && !settings.live) return skipped(base, 'it calls real endpoints; run it with --live');
  const began = performance.now();
  const wanted = model === 'scripted' ? 1 : (settings.repeat ?? scenario.repeat);
  const passRate = model === 'scripted' ? 1 : scenario.passRate;
  const runs: Run[] = [];
  while (runs.length < wanted) runs.push(await runOnce(deps, definition, scenario));
  const passes = runs.filter(({ failures }) => failures.length === 0).length;
  return {
    ...base,
    // Of 10 runs at 0.7 seven must pass, whatever 10 × 0.7 is in binary.
    outcome: passes / wanted >= passRate - 1e-9 ? 'passed' : 'failed',
    runs: wanted,
    passes,
    passRate,
    failures: runs.find(({ failures }) => failures.length > 0)?.failures ?? [],
    unjudged: Math.max(...runs.map(({ unjudged }) => unjudged)),
    durationMs: Math.round(performance.now() - began),
  };
}

const skipped = (base: Pick<ScenarioReport, 'agent' | 'index' | 'name' | 'model'>, reason: string): ScenarioReport => ({
  ...base,
  outcome: 'skipped',
  reason,
  runs: 0,
  passes: 0,
  passRate: 1,
  failures: [],
  unjudged: 0,
  durationMs: 0,
});
