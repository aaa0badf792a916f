import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { bestEffort } from '../../services/process/best-effort.ts';
import { sleep } from '../../services/process/sleep.ts';
import { Fault } from '../toolchain/fault.ts';
import { exitedWithin, hasExited } from '../toolchain/processes.ts';
import type { LogFile } from './log-file.ts';
import type { Running } from './supervised.ts';

/** Some seconds on a quiet machine; beside a load of 32 on two cores, 30 s were too few. */
const readyDeadlineMs = 90_000;
const pollMs = 50;

export interface ServiceOptions {
  name: string;
  /** The process's main.ts. */
  entry: string;
  env: NodeJS.ProcessEnv;
  log: LogFile;
  /** Hears what it prints as well. */
  onOutput?: ((chunk: Buffer) => void) | undefined;
  /** Answers 200 when the service can do its work. */
  readyUrl: string;
  /** How long it may take to stop in order. */
  stopMs: number;
}

/** Starts one of our services; `ready` rejects with a Fault that points to its log when it does not come up. */
export function startService(options: ServiceOptions): Running {
  const { entry, env, log, onOutput, stopMs } = options;
  const child = spawn(process.execPath, [entry], {
    env,
    // The channel is how a service notices that the launcher is gone, even when that was killed.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // Out of the terminal's process group: Ctrl-C stops the services in order, not all at once.
    detached: true,
  });
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => log.write(chunk));
  if (onOutput) child.stdout?.on('data', onOutput);
  const exited = once(child, 'exit').then(() => undefined);
  const ready = becomesReady(child, options);
  void bestEffort('whoever waits for it hears of it', ready);
  return {
    pid: child.pid ?? 0,
    ready,
    exited,
    stop: async () => {
      child.kill('SIGTERM');
      if (await exitedWithin(child, stopMs)) return;
      child.kill('SIGKILL');
      await exited;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function becomesReady(child: ChildProcess, { name, log, readyUrl }: ServiceOptions): Promise<void> {
  const deadline = Date.now() + readyDeadlineMs;
  while (!(await answersOk(readyUrl))) {
    if (hasExited(child)) throw new Fault(`${name} ended at once (${lastWords(log)}): see ${log.file}.`);
    if (Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Fault(`${name} was not ready within ${readyDeadlineMs / 1000} s: see ${log.file}.`);
    }
    await sleep(pollMs);
  }
}

/** Whether the address answers 2xx. */
export async function answersOk(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
}

const shownLength = 300;
const searchedLines = 30;

/** The last line that is neither a stack nor what Node prints below one. */
function lastWords(log: LogFile): string {
  const lines = log.tail(searchedLines).filter((line) => !/^\s+at |^Node\.js v|^\s*[}^]?\s*$/.test(line));
  return lines.at(-1)?.trim().slice(0, shownLength) ?? 'it said nothing';
}
