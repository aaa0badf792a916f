import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { ports } from '../plan/addresses.ts';
import { signedPaths } from '../plan/services.ts';
import { mounts, planVariables } from '../plan/variables.ts';
import type { TenantPlan } from '../plan.ts';
import { type Folder, FolderMap } from './folder-map.ts';
import { GitFiles } from './git-files.ts';
import { type ProcessFiles, withFiles } from './process-files.ts';
import { labelsOf, serviceDeployment } from './service-deployment.ts';

export interface WorkerArgs {
  plan: TenantPlan;
  secretsVersion: pulumi.Input<string>;
  files: ProcessFiles;
  /** Agents that come with the stack, when they do not come from a repository. */
  agents: Folder | undefined;
  policies: Folder | undefined;
  sshKey: pulumi.Input<string> | undefined;
}

/** What happens without a caller: reaping, finishing, deliveries, agents from their source. */
export class Worker extends pulumi.ComponentResource {
  readonly deployment: k8s.apps.v1.Deployment;

  constructor(name: string, args: WorkerArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:kubernetes:Worker', name, {}, opts);
    const { plan, files } = args;
    const folders = [
      ...(args.agents
        ? [
            new FolderMap(
              `${name}-agents`,
              { plan, name: 'agents', folder: args.agents, mountPath: mounts.agents },
              { parent: this },
            ),
          ]
        : []),
      ...(args.policies
        ? [
            new FolderMap(
              `${name}-policies`,
              { plan, name: 'policies', folder: args.policies, mountPath: mounts.policies },
              { parent: this },
            ),
          ]
        : []),
      ...(args.sshKey === undefined
        ? []
        : [new GitFiles(`${name}-git`, { plan, sshKey: args.sshKey }, { parent: this })]),
    ];
    const common = withFiles(files);
    this.deployment = serviceDeployment(
      {
        ...plan.worker,
        plan,
        service: 'worker',
        internalPort: ports.workerInternal,
        variables: planVariables(plan).worker,
        secretsVersion: args.secretsVersion,
        ...common,
        volumes: [...common.volumes, ...folders.map(({ volume }) => volume)],
        mounts: [...common.mounts, ...folders.map(({ mount }) => mount)],
      },
      { parent: this },
    );
    const labels = labelsOf(plan, 'worker');
    const metadata = { name: 'worker', namespace: plan.names.namespace, labels };
    if (signedPaths(plan.tenant).length > 0) {
      new k8s.core.v1.Service(
        name,
        {
          metadata,
          spec: { selector: labels, ports: [{ name: 'internal', port: ports.workerInternal, targetPort: 'internal' }] },
        },
        { parent: this },
      );
    }
    if (plan.worker.replicas > 1) {
      new k8s.policy.v1.PodDisruptionBudget(
        name,
        { metadata, spec: { maxUnavailable: 1, selector: { matchLabels: labels } } },
        { parent: this },
      );
    }
    this.registerOutputs({});
  }
}
