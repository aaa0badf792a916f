import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { childrenOf, signal } from '../../../scripts/toolchain/processes.ts';

/** A command of Pulumi that is under way. */
export interface RunningPulumi {
  /** What it has written until now. */
  output(): string;
  /** As the end of its machine: engine, program and providers are gone at once, and nothing is tidied up. */
  kill(): Promise<void>;
  /** Its exit code; null when it was killed. */
  readonly exited: Promise<number | null>;
}

export function runPulumi(
  command: string,
  args: readonly string[],
  options: { cwd: string; env: Record<string, string> },
): RunningPulumi {
  const engine = spawn(command, [...args, '--non-interactive', '--color', 'never'], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let written = '';
  for (const stream of [engine.stdout, engine.stderr])
    stream.on('data', (chunk: Buffer) => {
      written += chunk;
    });
  const pid = engine.pid ?? 0;
  const exited = once(engine, 'close').then(([code]) => code as number | null);
  return {
    output: () => written,
    async kill() {
      const all = [pid, ...(await descendantsOf(pid))];
      for (const one of all) signal(one, 'SIGKILL');
      await exited;
    },
    exited,
  };
}

async function descendantsOf(pid: number): Promise<number[]> {
  const children = await childrenOf(pid);
  return [...children, ...(await Promise.all(children.map(descendantsOf))).flat()];
}
