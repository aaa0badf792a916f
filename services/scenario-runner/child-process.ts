import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { ScenarioLine, ScenarioReport, ScenarioRequest } from '../agent-files/scenarios/report.ts';
import { neededBy } from '../agent-files/scenarios/variables.ts';
import { runChild } from '../process/run-child.ts';
import { ofSystem } from '../process/system-variables.ts';
import type { Variables } from '../process/variables.ts';

const entry = fileURLToPath(new URL('./process.ts', import.meta.url));

/** Conversations that are going on come first. */
const niceness = 5;
const maxOutputBytes = 16 * 1024 * 1024;

/** The scenarios did not end in time. */
export class ScenariosTooSlow extends Error {
  override readonly name = 'ScenariosTooSlow';
}

/** Whatever ran the scenarios broke: it tells nothing about the agents. The message is for the log. */
export class ScenariosBroke extends Error {
  override readonly name = 'ScenariosBroke';
}

export interface ScenarioProcessOptions {
  /** What keys are taken from: `scenarioVariables`. The process gets those that its jobs need. */
  env: Variables;
  deadlineMs: number;
  signal: AbortSignal;
  /** The program that runs them; a test has its own. */
  program?: string;
}

/**
 * Runs scenarios in a process of the agent service, which is gone when this settles and ends by itself when this process
 * does. It calls no tools of an agent.
 *
 * @throws ScenariosTooSlow after the deadline; ScenariosBroke when the process fails, answers too much or too little; Error when it is aborted
 */
export async function runScenarioProcess(
  request: ScenarioRequest,
  { env, deadlineMs, signal, program = entry }: ScenarioProcessOptions,
): Promise<ScenarioReport[]> {
  signal.throwIfAborted();
  const line: ScenarioLine = { ...request, variables: neededBy(request, env) };
  const { status, output, lastWords, killedFor } = await runChild(process.execPath, [program], {
    ...{ env: ofSystem(process.env), input: `${JSON.stringify(line)}\n`, inputStaysOpen: true },
    ...{ timeoutMs: deadlineMs, maxOutputBytes, signal, started: lowerPriority },
  });
  signal.throwIfAborted();
  if (killedFor === 'taking too long')
    throw new ScenariosTooSlow(`The scenarios were not over within ${deadlineMs / 1000} s.`);
  if (killedFor === 'saying too much') throw new ScenariosBroke(`the scenarios said more than ${maxOutputBytes} bytes`);
  if (status !== 0)
    throw new ScenariosBroke(`the scenarios could not be run (${status ?? 'killed'}): ${lastWords.trim()}`);
  return reportsIn(output.toString('utf8'), request);
}

/** What was not answered has not passed: the gate would take silence for consent. */
function reportsIn(text: string, { jobs }: ScenarioRequest): ScenarioReport[] {
  const reports = parsed(text);
  const answered = new Set(reports.map(({ agent, index }) => `${agent} ${index}`));
  const missing = jobs.flatMap(({ definition, scenarios }) =>
    scenarios.map((_, index) => `${definition.agent} ${index}`).filter((key) => !answered.has(key)),
  );
  if (missing.length > 0)
    throw new ScenariosBroke(`${missing.length} scenarios were not answered, such as ${missing[0]}`);
  return reports;
}

function parsed(text: string): ScenarioReport[] {
  try {
    return JSON.parse(text) as ScenarioReport[];
  } catch (cause) {
    throw new ScenariosBroke('the scenarios answered no JSON', { cause });
  }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // It has ended already, or the system does not let us; it then runs like any other.
  }
}
