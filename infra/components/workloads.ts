import * as pulumi from '@pulumi/pulumi';
import type { Folders } from '../folders.ts';
import { signedPaths } from '../plan/services.ts';
import type { TenantPlan } from '../plan/tenant-plan.ts';
import type { Variables } from '../plan/variables.ts';
import { Agents } from './agents.ts';
import { Api } from './api.ts';
import { Preparation } from './preparation.ts';
import type { ProcessFiles } from './process-files.ts';
import { RoomServer, type RoomServerArgs } from './room-server.ts';
import type { SecretVersions } from './secrets.ts';
import { SipBridge } from './sip-bridge.ts';
import { Worker } from './worker.ts';

export interface WorkloadsArgs {
  /** It hands each part of it to the component that the part is for. */
  plan: TenantPlan;
  folders: Pick<Folders, 'agents' | 'policies'>;
  /** Of each process, another when something secret that it reads is another. */
  secretsVersions: SecretVersions;
  rooms: Pick<RoomServerArgs, 'used' | 'known' | 'cacheUrl' | 'nodePorts'>;
  files: ProcessFiles;
  apiNodePort?: number;
}

/** What runs for a tenant on any cluster, in the order in which it may: schema first, then those that need it. */
export class Workloads extends pulumi.ComponentResource {
  /** What runs, to be waited for. */
  readonly deployments: readonly pulumi.CustomResource[];

  constructor(name: string, args: WorkloadsArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:kubernetes:Workloads', name, {}, opts);
    const { plan, folders, secretsVersions, files, apiNodePort } = args;
    const { scope, tenant, addresses, variables } = plan;
    const { images } = tenant;
    const rooms = new RoomServer(
      `${name}-rooms`,
      { scope, image: images.roomServer, rooms: plan.rooms, addresses, ...args.rooms },
      { parent: this },
    );
    const common = (process: keyof Variables) => ({
      ...{ scope, image: images.services, files },
      ...{ variables: variables[process], secretsVersion: secretsVersions[process] },
    });
    const preparation = new Preparation(`${name}-prepare`, common('prepare'), { parent: this });
    const prepared = { parent: this, dependsOn: [preparation] };
    const api = new Api(
      `${name}-api`,
      {
        ...{ ...common('api'), api: plan.api },
        ...(apiNodePort === undefined ? {} : { nodePort: apiNodePort }),
      },
      prepared,
    );
    const worker = new Worker(
      `${name}-worker`,
      {
        ...{ ...common('worker'), ...folders, worker: plan.worker },
        isReached: signedPaths(tenant).length > 0,
        ssh: sshOf(plan),
      },
      prepared,
    );
    const agents = new Agents(
      `${name}-agents`,
      {
        ...{ ...common('agent'), fleet: plan.agents },
        scalingUrl: tenant.autoscaling === 'keda' ? addresses.scalingUrl : undefined,
      },
      // A host is ready when it has made a room.
      { parent: this, dependsOn: [preparation, rooms, api] },
    );
    const { used, cacheUrl } = args.rooms;
    const bridges =
      plan.phone === undefined || cacheUrl === undefined
        ? []
        : [
            new SipBridge(
              `${name}-phone`,
              { scope, image: images.sipBridge ?? '', phone: plan.phone, addresses, used, cacheUrl },
              // It enters rooms by the API.
              { parent: this, dependsOn: [rooms, api] },
            ),
          ];
    this.deployments = [rooms, api, worker, agents, ...bridges].map(({ deployment }) => deployment);
    this.registerOutputs({});
  }
}

function sshOf({ tenant: { agents, secrets } }: TenantPlan) {
  if (agents.sshKey === undefined) return undefined;
  return { key: pulumi.secret(secrets[agents.sshKey] ?? ''), knownHosts: agents.sshKnownHosts ?? '' };
}
