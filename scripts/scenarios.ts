/** `npm run scenarios`: runs the conversations that agents must get right. Exit status 1 when one fails. */
import '../services/agent/room/quiet-native-layer.ts';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { initializeLogger } from '@livekit/agents';
import { makeToolsFor } from '../services/agent/conversation/run-tool.ts';
import { isError } from '../services/agent-files/faults.ts';
import { type AgentScenarios, loadAgents } from '../services/agent-files/load.ts';
import type { ScenarioReport } from '../services/agent-files/scenarios/report.ts';
import { trialsOf } from '../services/core/agents/gate.ts';
import { makeLogger } from '../services/process/logger.ts';
import { choose } from '../services/scenario-runner/choose.ts';
import { judgeFrom } from '../services/scenario-runner/judge-settings.ts';
import { toJUnit } from '../services/scenario-runner/junit.ts';
import { passesOf } from '../services/scenario-runner/passes.ts';
import { linesOf, totalLine } from '../services/scenario-runner/readable.ts';
import { runJobs } from '../services/scenario-runner/run-jobs.ts';
import { Fault } from './toolchain/fault.ts';
import { agentsFolder, givenPath, shownPath } from './toolchain/given-path.ts';
import { readArguments, runScript } from './toolchain/script.ts';

const usage = `Usage: npm run scenarios -- [agent | file …] [--agents FOLDER] [--model scripted|declared] [--repeat N] [--live]
                            [--junit FILE] [--passes FILE]

Runs the scenarios of all agents, or of those that are named (restaurant, agents/scenarios/restaurant.yaml), without a
room and without a database.

  --agents    folder of the agents; default "agents"
  --model     scripted: on the embedded model wherever the agent has a script, always with the same result (default);
              declared: on the model that the agent's file names, which needs its key
  --repeat    how often each runs on a real model, instead of its own "repeat"
  --live      tools that have no answer in a scenario are really called, and scenarios with "live: true" run
  --junit     writes the results as JUnit XML, too
  --passes    writes which agents passed everything, for an installation that takes passes (docs/write-agents/agents-in-git.md); it asks
              for the same --model. Not with --repeat or --live: they are not what an installation asks

PARLEY_JUDGE_MODEL (with PARLEY_JUDGE_BASE_URL and PARLEY_JUDGE_API_KEY) names the model that decides "judge" expectations;
without it they are not judged, and counted.
Exit status: 0 all passed, 1 one failed, 2 the agents have faults or nothing was found to run.`;

const readWords = (args: string[]) =>
  readArguments({
    args,
    allowPositionals: true,
    options: {
      agents: { type: 'string' },
      model: { type: 'string', default: 'scripted' },
      repeat: { type: 'string' },
      live: { type: 'boolean', default: false },
      junit: { type: 'string' },
      passes: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });

type Given = ReturnType<typeof readWords>['values'];

function settingsFrom({ model, live, repeat: times, passes }: Given) {
  if (passes !== undefined && (live || times !== undefined))
    throw new Fault('--passes cannot be combined with --repeat or --live.');
  if (model !== 'scripted' && model !== 'declared') throw new Fault('--model must be "scripted" or "declared".');
  if (times === undefined) return { model, live } as const;
  const repeat = Number(times);
  if (!Number.isInteger(repeat) || repeat < 1 || repeat > 100)
    throw new Fault('--repeat must be a number from 1 to 100.');
  return { model, live, repeat } as const;
}

/** @returns the exit status */
async function run(values: Given, names: readonly string[]): Promise<number> {
  const settings = settingsFrom(values);
  const folder = agentsFolder(values.agents);
  const loaded = await loadAgents(folder, { environment: 'development' });
  const faults = loaded.faults.filter(isError);
  for (const { file, line, column, message } of faults)
    console.error(`${shownPath(join(folder, file))}:${line}:${column}  ${message}`);
  if (faults.length > 0) return 2;
  const chosen = choose(loaded, names);
  if ('problem' in chosen) throw new Fault(chosen.problem);
  initializeLogger({ pretty: false, level: 'silent' });
  const { env } = process;
  const logger = makeLogger({ service: 'scenarios', level: 'fatal' });
  const runTool = settings.live ? makeToolsFor({ env, allowLoopback: true, logger })({}) : undefined;
  const reports = await runJobs({ env, runTool, judge: judgeFrom(env) }, settings, chosen.jobs, showProgress);
  for (const line of linesOf(reports, placeIn(folder, loaded.scenarios))) console.log(line);
  console.log(totalLine(reports));
  if (values.junit !== undefined) await writeFile(givenPath(values.junit), toJUnit(reports));
  if (values.passes !== undefined) {
    const trials = trialsOf({ versions: loaded.agents, scenarios: loaded.scenarios }, { model: settings.model, env });
    await writeFile(givenPath(values.passes), JSON.stringify(passesOf(trials, reports)));
  }
  return reports.some(({ outcome }) => outcome === 'failed') ? 1 : 0;
}

/** On a terminal one line that changes; on a real model a run takes minutes. */
function showProgress({ done, of }: { done: number; of: number }): void {
  if (process.stderr.isTTY) process.stderr.write(done < of ? `\r${done} of ${of} conversations` : '\r\x1b[K');
}

/** Where a turn stands, for editors to jump to. */
const placeIn =
  (folder: string, files: readonly AgentScenarios[]) =>
  ({ agent, index }: ScenarioReport, turn: number | null): string => {
    const place = files.find((file) => file.agent === agent)?.placeOf({ scenario: index, turn });
    return place ? `${shownPath(join(folder, place.file))}:${place.line}:${place.column}` : agent;
  };

await runScript(
  async (args) => {
    const { values, positionals } = readWords(args);
    if (values.help) console.log(usage);
    else process.exitCode = await run(values, positionals);
  },
  { failed: 2 },
);
// A model's open connections keep nobody waiting.
process.exit();
