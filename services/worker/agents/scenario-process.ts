import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { ScenarioReport, ScenarioRequest } from '../../contract/scenarios/report.ts';

const entry = fileURLToPath(new URL('../../agent/scenarios/process.ts', import.meta.url));

/** Conversations that are going on come first. */
const niceness = 5;
const maxAnswerBytes = 16 * 1024 * 1024;
const lastWords = 2_000;

/** The scenarios did not end in time. */
export class ScenariosTooSlow extends Error {
  override readonly name = 'ScenariosTooSlow';
}

export interface ScenarioProcessOptions {
  env: Readonly<Record<string, string | undefined>>;
  deadlineMs: number;
  signal: AbortSignal;
}

/**
 * Runs scenarios in a process of the agent service, which is gone when this settles. It calls no tools of an agent.
 *
 * @throws ScenariosTooSlow after the deadline; Error when the process fails, answers too much or is aborted
 */
export async function runScenarioProcess(
  request: ScenarioRequest,
  { env, deadlineMs, signal }: ScenarioProcessOptions,
): Promise<ScenarioReport[]> {
  signal.throwIfAborted();
  const timeout = AbortSignal.timeout(deadlineMs);
  const child = spawn(process.execPath, [entry], { env: withoutOurSecrets(env), stdio: ['pipe', 'pipe', 'pipe'] });
  const kill = () => void child.kill('SIGKILL');
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
  child.stdin.end(JSON.stringify(request));
  try {
    const status = await over;
    signal.throwIfAborted();
    if (timeout.aborted) throw new ScenariosTooSlow(`The scenarios were not over within ${deadlineMs / 1000} s.`);
    if (status !== 0) throw new Error(`the scenarios could not be run (${status ?? 'killed'}): ${complaint.trim()}`);
    return JSON.parse(Buffer.concat(answer).toString('utf8')) as ScenarioReport[];
  } finally {
    for (const end of [timeout, signal]) end.removeEventListener('abort', kill);
  }
}

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, niceness);
  } catch {
    // It has ended already, or the system does not let us; it then runs like any other.
  }
}

/** Model keys go along, under whatever name an agent refers to them; what is the installation's own does not. */
export function withoutOurSecrets(env: ScenarioProcessOptions['env']): NodeJS.ProcessEnv {
  const ours = (name: string) => /^(?:PARLEY_|LIVEKIT_|REDIS_|PG)/.test(name) && !name.startsWith('PARLEY_JUDGE_');
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ours(name)));
}
