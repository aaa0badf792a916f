import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Runs a command on this terminal; true when it ended well. A command that can't be found counts as failed. */
export async function runHere(file: string, args: readonly string[], env = process.env): Promise<boolean> {
  const child = spawn(file, args, { stdio: 'inherit', env });
  const failed = new Promise<[null]>((resolve) => {
    child.once('error', (error) => {
      process.stderr.write(`${file} can't be run: ${error.message}\n`);
      resolve([null]);
    });
  });
  const [code] = (await Promise.race([once(child, 'close'), failed])) as [number | null];
  return code === 0;
}
