import { loadAgents } from '../../../services/agent-files/load.ts';
import type { ScenarioRequest } from '../../../services/agent-files/scenarios/report.ts';
import { runScenarioProcess } from '../../../services/scenario-runner/child-process.ts';
import type { Measured, Row, RowOptions } from '../row.ts';
import { figureOf, oneFigure } from '../statistics.ts';

const sizes = { full: 300, smoke: 10 };
const deadlineMs = 10 * 60_000;

/** The gate of an activation: the worker's process for scenarios, from its start to its end. */
export const scenarios: Row = {
  name: 'scenarios',
  title: '300 scenarios on the scripted model',
  against: 'a fixed limit',
  limitMinutes: 15,
  run: async (options) => {
    const request = await demoScenarios(options.smoke ? sizes.smoke : sizes.full);
    return measure(request, options);
  },
};

async function measure(request: ScenarioRequest, { pairs, say }: RowOptions): Promise<Measured> {
  const [job] = request.jobs;
  const asked = job?.scenarios ?? [];
  const seconds: number[] = [];
  for (let round = 0; round < pairs; round += 1) {
    const began = performance.now();
    const signal = new AbortController().signal;
    const reports = await runScenarioProcess(request, { env: process.env, deadlineMs, signal });
    seconds.push((performance.now() - began) / 1000);
    const failed = reports.filter(({ outcome }) => outcome !== 'passed');
    if (failed.length > 0) throw new Error(`scenarios did not pass: ${JSON.stringify(failed[0])}`);
    say(`${seconds.at(-1)?.toFixed(1)} s`);
  }
  const target = { text: '≤ 60 s', atMost: 60 };
  return {
    figures: [
      figureOf({ name: `${asked.length} scenarios, with the start of their process`, unit: 's', target }, seconds),
      oneFigure(
        { name: 'turns of them', unit: 'turns' },
        asked.reduce((turns, scenario) => turns + scenario.turns.length, 0),
      ),
    ],
    notes: ["The demo support agent's own scenarios, again and again, as the worker runs them: at a lower priority."],
  };
}

async function demoScenarios(count: number): Promise<ScenarioRequest> {
  const folder = new URL('../../../agents/', import.meta.url).pathname;
  const { agents, scenarios: files } = await loadAgents(folder, { environment: 'development' });
  const version = agents.find(({ agent }) => agent.agent === 'support');
  const own = files.find(({ agent }) => agent === 'support')?.scenarios ?? [];
  if (!version || own.length === 0) throw new Error('the demo has no scenarios of its support agent');
  const repeated = Array.from({ length: Math.ceil(count / own.length) }, () => own).flat();
  return {
    settings: { model: 'scripted', live: false },
    jobs: [{ definition: version.agent, scenarios: repeated.slice(0, count) }],
  };
}
