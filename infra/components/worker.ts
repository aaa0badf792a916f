import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { Folder } from '../folders.ts';
import { ports } from '../plan/addresses.ts';
import type { Scope } from '../plan/names.ts';
import type { ServicePlan } from '../plan/services.ts';
import { mounts, type Variable } from '../plan/variables.ts';
import { FolderMap } from './folder-map.ts';
import { GitFiles } from './git-files.ts';
import { type ProcessFiles, withFiles } from './process-files.ts';
import { labelsOf, selectorOf, serviceDeployment } from './service-deployment.ts';

export interface WorkerArgs {
  scope: Scope;
  image: string;
  worker: ServicePlan;
  /** Whether programs outside send it anything. */
  isReached: boolean;
  variables: readonly Variable[];
  secretsVersion: pulumi.Input<string>;
  files: ProcessFiles;
  /** Agents that come with the stack, when they do not come from a repository. */
  agents: Folder | undefined;
  policies: Folder | undefined;
  /** What opens a repository by SSH, and what its server is known by. */
  ssh: { key: pulumi.Input<string>; knownHosts: string } | undefined;
}

/** What happens without a caller: reaping, finishing, deliveries, agents from their source. */
export class Worker extends pulumi.ComponentResource {
  readonly deployment: k8s.apps.v1.Deployment;

  constructor(name: string, args: WorkerArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:kubernetes:Worker', name, {}, opts);
    const { scope, worker, files } = args;
    const folders = [
      ...(args.agents
        ? [
            new FolderMap(
              `${name}-agents`,
              { scope, name: 'agents', folder: args.agents, mountPath: mounts.agents },
              { parent: this },
            ),
          ]
        : []),
      ...(args.policies
        ? [
            new FolderMap(
              `${name}-policies`,
              { scope, name: 'policies', folder: args.policies, mountPath: mounts.policies },
              { parent: this },
            ),
          ]
        : []),
      ...(args.ssh === undefined ? [] : [new GitFiles(`${name}-git`, { scope, ...args.ssh }, { parent: this })]),
    ];
    const common = withFiles(files, 'worker', args.variables);
    this.deployment = serviceDeployment(
      {
        ...worker,
        ...args,
        service: 'worker',
        internalPort: ports.workerInternal,
        ...common,
        volumes: [...common.volumes, ...folders.map(({ volume }) => volume)],
        mounts: [...common.mounts, ...folders.map(({ mount }) => mount)],
      },
      { parent: this },
    );
    const labels = labelsOf(scope, 'worker');
    const metadata = { name: 'worker', namespace: scope.namespace, labels };
    if (args.isReached) {
      new k8s.core.v1.Service(
        name,
        {
          metadata,
          spec: {
            selector: selectorOf(scope, 'worker'),
            ports: [{ name: 'internal', port: ports.workerInternal, targetPort: 'internal' }],
          },
        },
        { parent: this },
      );
    }
    if (worker.replicas > 1) {
      new k8s.policy.v1.PodDisruptionBudget(
        name,
        { metadata, spec: { maxUnavailable: 1, selector: { matchLabels: selectorOf(scope, 'worker') } } },
        { parent: this },
      );
    }
    this.registerOutputs({});
  }
}
