import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { endsWithUs } from './world/ends-with-us.ts';

/** Nobody loads a machine for longer by mistake. */
const endsByItselfMs = 30 * 60_000;
const busyLoop = `const until = Date.now() + ${endsByItselfMs}; while (Date.now() < until);`;

/** Keeps so many cores busy until it is disposed of. */
export function startLoad(processes: number): AsyncDisposable {
  const busy = Array.from({ length: processes }, () =>
    spawn(...endsWithUs(process.execPath, ['--eval', busyLoop]), { stdio: 'ignore' }),
  );
  return {
    [Symbol.asyncDispose]: async () => {
      const gone = busy.map((child) => once(child, 'exit'));
      for (const child of busy) child.kill('SIGKILL');
      await Promise.all(gone);
    },
  };
}
