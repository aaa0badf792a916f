/**
 * `npm run soak -- infra`: the stories of whole stacks, each in every way in which an operator may go (`npm test` takes the
 * shortest). Fails when a test does.
 */
import { runHere } from '../toolchain/commands.ts';
import { Fault } from '../toolchain/fault.ts';
import { makeInfraTools } from '../toolchain/infra-tools.ts';

const stories = ['tenant-on-aws', 'tenant-on-kubernetes', 'second-runs', 'volunteer'].map(
  (name) => `test/infra/${name}.test.ts`,
);

export async function soakInfra(): Promise<void> {
  await makeInfraTools((line) => process.stdout.write(`${line}\n`));
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--root', '.', ...stories];
  if (!(await runHere(process.execPath, vitest, { ...process.env, SOAK_INFRA: '1' })))
    throw new Fault('A story failed.');
}
