import { complain, say } from '../../../toolchain/say.ts';
import '../../../../services/agent/room/quiet-native-layer.ts';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { initializeLogger } from '@livekit/agents';
import { makeToolsFor } from '../../../../services/agent/conversation/run-tool.ts';
import { agentVariablesIn } from '../../../../services/agent-files/definition/agent-variables.ts';
import { isError } from '../../../../services/agent-files/faults.ts';
import { type AgentScenarios, loadAgents } from '../../../../services/agent-files/load.ts';
import type { ScenarioReport, ScenarioSettings } from '../../../../services/agent-files/scenarios/report.ts';
import { scenarioVariables } from '../../../../services/agent-files/scenarios/variables.ts';
import { trialsOf } from '../../../../services/core/agents/gate.ts';
import { makeLogger } from '../../../../services/process/logger.ts';
import { choose } from '../../../../services/scenario-runner/choose.ts';
import { judgeFrom } from '../../../../services/scenario-runner/judge-settings.ts';
import { toJUnit } from '../../../../services/scenario-runner/junit.ts';
import { passesOf } from '../../../../services/scenario-runner/passes.ts';
import { linesOf, totalLine } from '../../../../services/scenario-runner/readable.ts';
import { runJobs } from '../../../../services/scenario-runner/run-jobs.ts';
import { variables } from '../../../../services/settings/write.ts';
import { Fault } from '../../../toolchain/fault.ts';
import { shownPath } from '../../../toolchain/given-path.ts';

export interface Wish {
  /** Folder of the agents. */
  folder: string;
  /** Agents or files of scenarios; none means all. */
  names: readonly string[];
  settings: ScenarioSettings;
  /** Files to write. */
  junit: string | undefined;
  passes: string | undefined;
}

/** @returns the exit status: 0 all passed, 1 one failed, 2 the agents have faults. @throws Fault when a name is unknown */
export async function runScenarios({ folder, names, settings, junit, passes }: Wish): Promise<number> {
  const loaded = await loadAgents(folder, { environment: 'development' });
  const faults = loaded.faults.filter(isError);
  for (const { file, line, column, message } of faults)
    complain(`${shownPath(join(folder, file))}:${line}:${column}  ${message}`);
  if (faults.length > 0) return 2;
  const chosen = choose(loaded, names);
  if ('problem' in chosen) throw new Fault(chosen.problem);
  initializeLogger({ pretty: false, level: 'silent' });
  const forAgents = agentVariablesIn({ ...variables({ environment: 'development' }), ...process.env });
  const env = scenarioVariables(forAgents, process.env);
  const logger = makeLogger({ service: 'scenarios', level: 'fatal' });
  const runTool = settings.live
    ? makeToolsFor({ env: forAgents.declared, allowLoopback: true, logger })({})
    : undefined;
  const reports = await runJobs({ env, runTool, judge: judgeFrom(env) }, settings, chosen.jobs, showProgress);
  for (const line of linesOf(reports, positionIn(folder, loaded.scenarios))) say(line);
  say(totalLine(reports));
  if (junit !== undefined) await writeFile(junit, toJUnit(reports));
  if (passes !== undefined) {
    const trials = trialsOf({ versions: loaded.agents, scenarios: loaded.scenarios }, { model: settings.model, env });
    await writeFile(passes, JSON.stringify(passesOf(trials, reports)));
  }
  return reports.some(({ outcome }) => outcome === 'failed') ? 1 : 0;
}

/** On a terminal one line that changes; on a real model a run takes minutes. */
function showProgress({ done, of }: { done: number; of: number }): void {
  if (process.stderr.isTTY) process.stderr.write(done < of ? `\r${done} of ${of} conversations` : '\r\x1b[K');
}

/** Where a turn stands, for editors to jump to. */
const positionIn =
  (folder: string, files: readonly AgentScenarios[]) =>
  ({ agent, index }: ScenarioReport, turn: number | null): string => {
    const position = files.find((file) => file.agent === agent)?.positionOf({ scenario: index, turn });
    return position ? `${shownPath(join(folder, position.file))}:${position.line}:${position.column}` : agent;
  };
