import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { bestEffort } from '../../services/process/best-effort.ts';
import { sleep } from '../../services/process/sleep.ts';
import { Fault } from './fault.ts';
import { exitedWithin, freeze, hasExited, signal } from './processes.ts';

const readyDeadlineMs = 15_000;
const pollMs = 25;
const outputKept = 4_000;

export interface ServerProcess {
  pid: number;
  /** Settles when the server answers; rejects with a Fault when it ends first or does not answer within 15 s. */
  ready: Promise<void>;
  exited: Promise<void>;
  /** SIGTERM: takes nothing new, waits for what it has, and ends. Who asks waits for `exited`. */
  drain(): void;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** SIGSTOP: nothing of it runs any more when this returns. */
  pause(): void;
  resume(): void;
}

export interface ServerProcessOptions {
  command: { file: string; args: readonly string[] };
  /** The subject of sentences about it: "The room server". */
  name: string;
  /** A server that answers here with a 2xx is ready. */
  url: string;
  /** Said when an address is in use. */
  whenTaken: string;
  onOutput: ((chunk: Buffer) => void) | undefined;
}

/** Starts a server of somebody else's that tells by HTTP that it is ready. */
export function startServerProcess(options: ServerProcessOptions): ServerProcess {
  const { command, onOutput } = options;
  const child = spawn(command.file, command.args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const exited = once(child, 'exit').then(() => undefined);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk).slice(-outputKept);
      onOutput?.(chunk);
    });
  }
  const ready = answers(child, options, () => output);
  void bestEffort('whoever waits for it hears of it', ready);
  return {
    pid: child.pid ?? 0,
    ready,
    exited,
    drain: () => void child.kill('SIGTERM'),
    kill: async () => {
      child.kill('SIGKILL');
      await exitedWithin(child, 5_000);
    },
    pause: () => withPid(child, freeze),
    resume: () => withPid(child, (pid) => signal(pid, 'SIGCONT')),
  };
}

function withPid(child: ChildProcess, tell: (pid: number) => void): void {
  if (child.pid !== undefined && !hasExited(child)) tell(child.pid);
}

async function answers(child: ChildProcess, options: ServerProcessOptions, output: () => string): Promise<void> {
  const { name, url } = options;
  let failure: Error | undefined;
  child.once('error', (error) => {
    failure = error;
  });
  const deadline = Date.now() + readyDeadlineMs;
  while (!(await isAnswering(url))) {
    if (failure) throw new Fault(`${name} can't be run: ${failure.message}.`, { cause: failure });
    if (hasExited(child)) throw startFault(options, output());
    if (Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Fault(`${name} did not answer within ${readyDeadlineMs / 1000} s: look at its log.`);
    }
    await sleep(pollMs);
  }
}

async function isAnswering(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(1_000) })).ok;
  } catch {
    // Not yet, or never: whoever asks has a deadline.
    return false;
  }
}

function startFault({ name, whenTaken }: ServerProcessOptions, output: string): Fault {
  if (/address already in use/.test(output)) return new Fault(whenTaken);
  return new Fault(`${name} did not start: ${output.trim().split('\n').slice(-2).join(' ')}`);
}
