import { runHere } from '../toolchain/commands.ts';
import { Fault } from '../toolchain/fault.ts';

/**
 * Runs files of tests as long, or as large, as `npm test` has no time for.
 * @param flag the variable by which they know it, with `value`
 * @throws Fault when a test fails
 */
export async function tellStories(flag: string, files: readonly string[], value = '1'): Promise<void> {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--root', '.', ...files];
  if (!(await runHere(process.execPath, vitest, { ...process.env, [flag]: value }))) throw new Fault('A story failed.');
}
