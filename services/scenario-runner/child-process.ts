import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { ScenarioLine, ScenarioReport, ScenarioRequest } from '../agent-files/scenarios/report.ts';
import { neededBy } from '../agent-files/scenarios/variables.ts';
import { ofSystem } from '../process/system-variables.ts';
import type { Variables } from '../process/variables.ts';

const entry = fileURLToPath(new URL('./process.ts', import.meta.url));

/** Conversations that are going on come first. */
const niceness = 5;
const maxAnswerBytes = 16 * 1024 * 1024;
const lastWords = 2_000;

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
  const timeout = AbortSignal.timeout(deadlineMs);
  const child = spawn(process.execPath, [program], { env: ofSystem(process.env), stdio: ['pipe', 'pipe', 'pipe'] });
  const kill = () => {
    child.kill('SIGKILL');
    // Whatever it has started itself may hold these open.
    for (const stream of [child.stdout, child.stderr]) stream.destroy();
  };
  for (const end of [timeout, signal]) end.addEventListener('abort', kill, { once: true });
  const answer: Buffer[] = [];
  let bytes = 0;
  let complaint = '';
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) kill();
    else answer.push(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk).slice(-lastWords);
  });
  // A process that ended before it had read everything: its exit status says why.
  child.stdin.on('error', () => undefined);
  const { promise: over, resolve, reject } = Promise.withResolvers<number | null>();
  child.on('error', reject);
  child.on('close', resolve);
  lowerPriority(child.pid);
  // Its input stays open: that it ends tells the child that this process is gone.
  const line: ScenarioLine = { ...request, variables: neededBy(request, env) };
  child.stdin.write(`${JSON.stringify(line)}\n`);
  try {
    const status = await over;
    signal.throwIfAborted();
    if (timeout.aborted) throw new ScenariosTooSlow(`The scenarios were not over within ${deadlineMs / 1000} s.`);
    if (bytes > maxAnswerBytes) throw new ScenariosBroke(`the scenarios said more than ${maxAnswerBytes} bytes`);
    if (status !== 0)
      throw new ScenariosBroke(`the scenarios could not be run (${status ?? 'killed'}): ${complaint.trim()}`);
    return reportsIn(Buffer.concat(answer).toString('utf8'), request);
  } finally {
    for (const end of [timeout, signal]) end.removeEventListener('abort', kill);
  }
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

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, niceness);
  } catch {
    // It has ended already, or the system does not let us; it then runs like any other.
  }
}
