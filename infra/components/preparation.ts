import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { Scope } from '../plan/names.ts';
import type { Variable } from '../plan/variables.ts';
import { containerSecurity, environmentOf, podSecurity, quietPod, resourcesOf, scratch } from './pod.ts';
import { type ProcessFiles, withFiles } from './process-files.ts';
import { labelsOf } from './service-deployment.ts';

export interface PreparationArgs {
  scope: Scope;
  image: string;
  variables: readonly Variable[];
  secretsVersion: pulumi.Input<string>;
  files: ProcessFiles;
}

const resources = { cpuMilli: 100, cpuLimitMilli: 1_000, memoryMib: 128, memoryLimitMib: 512 };

/**
 * Brings the database to the image's schema, and the tenant's row and features into it, before any process of that image
 * starts. Another image or setting is another job; the same ones are none, unless their job failed: then the next up tries again.
 */
export class Preparation extends pulumi.ComponentResource {
  readonly job: k8s.batch.v1.Job;

  constructor(name: string, args: PreparationArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:kubernetes:Preparation', name, {}, opts);
    const { scope, image, variables, files } = args;
    const labels = labelsOf(scope, 'prepare');
    const tmp = scratch('tmp', '/tmp');
    const { volumes, mounts, serviceAccountName } = withFiles(files, 'prepare', variables);
    this.job = new k8s.batch.v1.Job(
      name,
      {
        // No name of its own: going back to an image asks for the job of before a second time.
        metadata: { namespace: scope.namespace, labels, annotations: { 'pulumi.com/replaceUnready': 'true' } },
        spec: {
          backoffLimit: 5,
          activeDeadlineSeconds: 900,
          template: {
            metadata: { labels, annotations: { 'parley.dev/secrets': args.secretsVersion } },
            spec: {
              ...quietPod(scope),
              ...(serviceAccountName === undefined ? {} : { serviceAccountName }),
              restartPolicy: 'Never',
              securityContext: podSecurity(),
              volumes: [tmp.volume, ...volumes],
              containers: [
                {
                  name: 'prepare',
                  image,
                  command: ['node', 'scripts/prepare.ts'],
                  env: environmentOf(variables),
                  securityContext: containerSecurity,
                  resources: resourcesOf(resources),
                  volumeMounts: [tmp.mount, ...mounts],
                },
              ],
            },
          },
        },
      },
      { parent: this, deleteBeforeReplace: false, customTimeouts: { create: '20m' } },
    );
    this.registerOutputs({});
  }
}
