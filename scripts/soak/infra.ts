/**
 * `npm run soak -- infra`: the stories of whole stacks, each in every way in which an operator may go (`npm test` takes the
 * shortest). Fails when a test does.
 */
import { makeInfraTools } from '../toolchain/infra-tools.ts';
import { tellStories } from './stories.ts';

const stories = ['tenant-on-aws', 'tenant-on-kubernetes', 'second-runs', 'volunteer'].map(
  (name) => `test/infra/${name}.test.ts`,
);

export async function soakInfra(): Promise<void> {
  await makeInfraTools((line) => process.stdout.write(`${line}\n`));
  await tellStories('SOAK_INFRA', stories);
}
