import type { ChildProcess } from 'node:child_process';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { sleep } from '../../services/process/sleep.ts';
import { ifLate, within } from '../../services/process/within.ts';

const run = promisify(execFile);
const pollMs = 20;

/** Names one process for good: a pid alone is given to another process after a while. */
export interface ProcessRecord {
  pid: number;
  /** When it started, in whatever form the system tells; equal for the same process only. */
  started: string;
}

/** The process's start, or undefined when there is no such process (a zombie counts as gone). */
export async function startOf(pid: number): Promise<string | undefined> {
  return existsSync('/proc/self/stat') ? startFromProc(pid) : startFromPs(pid);
}

async function startFromProc(pid: number): Promise<string | undefined> {
  const fields = await statFields(pid);
  if (!fields || fields[0] === 'Z' || fields[0] === 'X') return undefined;
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  return `${boot.trim()}/${fields[19]}`;
}

/** The fields of /proc/<pid>/stat from the third (state) on; the second may contain blanks and brackets. */
async function statFields(pid: number): Promise<string[] | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

async function startFromPs(pid: number): Promise<string | undefined> {
  try {
    const { stdout } = await run('ps', ['-o', 'lstart=', '-p', String(pid)]);
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}

/** The command line of a process, blanks between its arguments; empty when there is no such process. */
export async function commandOf(pid: number): Promise<string> {
  if (existsSync('/proc/self/stat')) {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ');
  }
  const { stdout } = await run('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return stdout;
}

/** Pids of the direct children. */
export async function childrenOf(pid: number): Promise<number[]> {
  const pids = await allPids();
  const parents = await Promise.all(pids.map(parentOf));
  return pids.filter((_, index) => parents[index] === pid);
}

/** Pids of the processes that work in this folder (Linux only, elsewhere none). */
export async function processesIn(folder: string): Promise<number[]> {
  const pids = existsSync('/proc/self/stat') ? await allPids() : [];
  const folders = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')));
  return pids.filter((_, index) => folders[index] === folder);
}

async function allPids(): Promise<number[]> {
  if (!existsSync('/proc/self/stat')) {
    const { stdout } = await run('ps', ['-axo', 'pid=']);
    return stdout.split('\n').map(Number).filter(Boolean);
  }
  return (await readdir('/proc')).map(Number).filter(Boolean);
}

async function parentOf(pid: number): Promise<number | undefined> {
  if (existsSync('/proc/self/stat')) return Number((await statFields(pid))?.[1]);
  const { stdout } = await run('ps', ['-o', 'ppid=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return Number(stdout);
}

/** Sends a signal; a process that is gone already is fine. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** A process that hangs in the system stops later than this. */
const frozenWithinMs = 5_000;

/**
 * Freezes a process. Returns when none of its threads runs any more (Linux; elsewhere at once): the signal goes to one of them, and until that one has
 * its turn the others go on, for up to 0.1 s on a busy machine.
 */
export function freeze(pid: number): void {
  signal(pid, 'SIGSTOP');
  const latest = Date.now() + frozenWithinMs;
  while (hasRunningThreads(pid) && Date.now() < latest) Atomics.wait(nobody, 0, 0, 1);
}

/** What is waited for without letting anything else happen here meanwhile. */
const nobody = new Int32Array(new SharedArrayBuffer(4));

function hasRunningThreads(pid: number): boolean {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.some((thread) => !/\) [TtZX] /u.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')));
  } catch {
    // It is gone, or this system has no such files.
    return false;
  }
}

/** Whether the process ended within `timeoutMs`. */
export async function endedWithin(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline) {
    if ((await startOf(pid)) === undefined) return true;
    await sleep(pollMs);
  }
  return (await startOf(pid)) === undefined;
}

/** Whether a child of ours is over. */
export const hasExited = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** Waits for a child to exit, at most `timeoutMs`; tells whether it has. */
export async function exitedWithin(child: ChildProcess, timeoutMs: number): Promise<boolean> {
  if (hasExited(child)) return true;
  const exit = once(child, 'exit').then(() => true);
  return within(timeoutMs, 'a child', exit).catch(ifLate(false));
}

/** Writes down which process it is, so that a later start finds it again. */
export async function writeRecord(file: string, pid: number): Promise<void> {
  const started = await startOf(pid);
  if (started) await writeFile(file, JSON.stringify({ pid, started } satisfies ProcessRecord));
}

/** The recorded process, if that very process still runs. */
export async function readRecord(file: string): Promise<ProcessRecord | undefined> {
  const record = await parseRecord(file);
  if (!record || (await startOf(record.pid)) !== record.started) return undefined;
  return record;
}

async function parseRecord(file: string): Promise<ProcessRecord | undefined> {
  try {
    const { pid, started } = JSON.parse(await readFile(file, 'utf8')) as Partial<ProcessRecord>;
    return typeof pid === 'number' && typeof started === 'string' ? { pid, started } : undefined;
  } catch {
    return undefined;
  }
}

/** Ends the recorded process with `name`, then with SIGKILL after `graceMs`. Tells whether there was one. */
export async function endRecorded(file: string, name: NodeJS.Signals, graceMs: number): Promise<boolean> {
  const record = await readRecord(file);
  if (record) {
    signal(record.pid, name);
    if (!(await endedWithin(record.pid, graceMs))) signal(record.pid, 'SIGKILL');
    await endedWithin(record.pid, 5_000);
  }
  await rm(file, { force: true });
  return record !== undefined;
}
