import * as pulumi from '@pulumi/pulumi';
import type { AgentVersion } from '../../services/agent-files/definition/compiled.ts';
import type { TenantPlan } from '../plan.ts';
import { Agents } from './agents.ts';
import { Api } from './api.ts';
import type { Folder } from './folder-map.ts';
import { Preparation } from './preparation.ts';
import type { ProcessFiles } from './process-files.ts';
import { RoomServer, type RoomServerArgs } from './room-server.ts';
import { Worker } from './worker.ts';

/** What comes with the stack as files. */
export interface Folders {
  /** Agents of the folder, compiled; none where they come from a repository. */
  versions: readonly AgentVersion[];
  /** PEM that the database's certificate is checked with. */
  databaseCertificate?: string | undefined;
  agents: Folder | undefined;
  policies: Folder | undefined;
}

export interface WorkloadsArgs {
  plan: TenantPlan;
  folders: Pick<Folders, 'agents' | 'policies'>;
  /** Changes when a secret does. */
  secretsVersion: pulumi.Input<string>;
  rooms: Omit<RoomServerArgs, 'plan'>;
  files: ProcessFiles;
  apiNodePort?: number;
}

/** What runs for a tenant on any cluster, in the order in which it may: schema first, then those that need it. */
export class Workloads extends pulumi.ComponentResource {
  constructor(name: string, args: WorkloadsArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:kubernetes:Workloads', name, {}, opts);
    const { plan, folders, secretsVersion, files, apiNodePort } = args;
    const rooms = new RoomServer(`${name}-rooms`, { plan, ...args.rooms }, { parent: this });
    const preparation = new Preparation(`${name}-prepare`, { plan, secretsVersion, files }, { parent: this });
    const common = { plan, secretsVersion, files };
    const prepared = { parent: this, dependsOn: [preparation] };
    const { sshKey } = plan.tenant.agents;
    const api = new Api(
      `${name}-api`,
      { ...common, ...(apiNodePort === undefined ? {} : { nodePort: apiNodePort }) },
      prepared,
    );
    new Worker(
      `${name}-worker`,
      {
        ...common,
        ...folders,
        sshKey: sshKey === undefined ? undefined : pulumi.secret(plan.tenant.secrets[sshKey] ?? ''),
      },
      prepared,
    );
    // A host is ready when it has made a room.
    new Agents(`${name}-agents`, common, { parent: this, dependsOn: [preparation, rooms, api] });
    this.registerOutputs({});
  }
}
