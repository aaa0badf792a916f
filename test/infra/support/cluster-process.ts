import { type ChildProcess, spawn } from 'node:child_process';
import { appendFile, readFile } from 'node:fs/promises';
import { exitedWithin, hasExited } from '../../../scripts/toolchain/processes.ts';
import { launch } from '../../../scripts/toolchain/unprivileged.ts';

/** A server of a cluster. It ends with the test process, whatever ends that. */
export interface ClusterProcess {
  name: string;
  child: ChildProcess;
  /** The file with what it wrote. */
  log: string;
}

interface Command {
  name: string;
  file: string;
  args: readonly string[];
  log: string;
  /** Further variables. */
  env?: Record<string, string>;
}

export async function startClusterProcess({ name, file, args, log, env = {} }: Command): Promise<ClusterProcess> {
  const command = await launch(file, [...args], { whenWeDie: 'KILL' });
  const child = spawn(command.file, command.args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => void appendFile(log, chunk));
  return { name, child, log };
}

/** @throws with the end of its log when the process has ended */
export async function whileRunning<Fact>(server: ClusterProcess, look: () => Promise<Fact>): Promise<Fact> {
  if (!hasExited(server.child)) return look();
  throw new Error(`${server.name} ended: ${(await linesOf(server)).slice(-3).join(' ')}`);
}

export const linesOf = async ({ log }: ClusterProcess): Promise<string[]> =>
  (await readFile(log, 'utf8').catch(() => '')).trim().split('\n');

export async function stopClusterProcess({ child }: ClusterProcess): Promise<void> {
  if (hasExited(child)) return;
  child.kill('SIGTERM');
  if (await exitedWithin(child, 5_000)) return;
  child.kill('SIGKILL');
  await exitedWithin(child, 5_000);
}
