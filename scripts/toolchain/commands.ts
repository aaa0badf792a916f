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

/** Runs a command to its end beside others; what it wrote comes in one piece. A command that can't be found counts as failed. */
export async function runAside(file: string, args: readonly string[]): Promise<{ succeeded: boolean; output: string }> {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const failed = new Promise<[null]>((resolve) => {
    child.once('error', (error) => {
      output += `${file} can't be run: ${error.message}\n`;
      resolve([null]);
    });
  });
  const [code] = (await Promise.race([once(child, 'close'), failed])) as [number | null];
  return { succeeded: code === 0, output };
}
