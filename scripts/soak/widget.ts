/**
 * `npm run soak -- widget`: the widget on pages as they are out there, and spoken with (`npm test` takes one page). Fails when a test does.
 */
import { runHere } from '../toolchain/commands.ts';
import { Fault } from '../toolchain/fault.ts';

const stories = ['test/browser/widget'];

export async function soakWidget(): Promise<void> {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--root', '.', ...stories];
  if (!(await runHere(process.execPath, vitest, { ...process.env, SOAK_WIDGET: '1' })))
    throw new Fault('A story failed.');
}
