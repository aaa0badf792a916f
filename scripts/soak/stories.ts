import { runHere } from '../toolchain/commands.ts';
import { Fault } from '../toolchain/fault.ts';

/** A command, and what it becomes: one that runs on another network. */
type Through = (file: string, args: readonly string[]) => [file: string, args: string[]];

const asItIs: Through = (file, args) => [file, [...args]];

/**
 * Runs files of tests as long, or as large, as `npm test` has no time for.
 * @param flag the variable by which they know it, with `value`
 * @throws Fault when a test fails
 */
export async function tellStories(
  flag: string,
  files: readonly string[],
  { value = '1', through = asItIs }: { value?: string; through?: Through } = {},
): Promise<void> {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--root', '.', ...files];
  const [file, args] = through(process.execPath, vitest);
  if (!(await runHere(file, args, { ...process.env, [flag]: value }))) throw new Fault('A story failed.');
}
