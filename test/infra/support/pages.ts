import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const docs = join(import.meta.dirname, '../../../docs');

/** What the first block of commands below a heading of a page says, for a stack of another name than the page's `acme`. */
export async function commandsOf(page: string, heading: string, stack: string): Promise<string> {
  const text = await readFile(join(docs, page), 'utf8');
  const [, below] = text.split(`\n${heading}\n`);
  const [, block] = /```sh\n(.*?)```/s.exec(below ?? '') ?? [];
  if (block === undefined) throw new Error(`${page} has no commands below "${heading}"`);
  return block.replaceAll('acme', stack);
}

/** As an operator does it who stops at what fails. @returns what the commands wrote */
export async function perform(
  commands: string,
  options: { cwd: string; env: Record<string, string> },
): Promise<string> {
  const { stdout } = await run('bash', ['-e', '-o', 'pipefail', '-c', commands], options).catch((error) => {
    throw new Error(`${error.stdout}\n${error.stderr}`, { cause: error });
  });
  return stdout;
}
