import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The cores that this process may use. */
export async function ownCores(): Promise<number[]> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '');
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? '';
  return list.split(',').flatMap((range) => {
    const [from = '', to = from] = range.split('-');
    return from === '' ? [] : Array.from({ length: Number(to) - Number(from) + 1 }, (_, at) => Number(from) + at);
  });
}

/** All threads of a process, and whatever it starts from now on, run on these cores only. */
export async function keepOn(pid: number, cores: readonly number[]): Promise<void> {
  await run('taskset', ['-acp', cores.join(','), String(pid)]);
}
