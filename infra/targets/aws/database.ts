import { randomBytes } from 'node:crypto';
import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import type { DatabasePlan } from '../../plan/database.ts';
import type { Tenant } from '../../tenant.ts';
import { engines } from '../../versions.ts';
import type { Network } from './network.ts';
import type { AwsPlan, FoundationPlan } from './plan.ts';

export interface DatabaseArgs {
  plan: DatabasePlan;
  deletionProtection: boolean;
  foundation: FoundationPlan;
  tags: AwsPlan['tags'];
  network: Network;
  securityGroupId: pulumi.Input<string>;
  adminPassword: pulumi.Input<string>;
  restoreFrom: Tenant['database']['restoreFrom'];
}

const family = `postgres${engines.postgres.version}`;
export const serverAdmin = 'parley_server';

/** How long what a server or a control plane logs is kept. */
export const keepLogsDays = 30;

/** RDS for PostgreSQL: a standby in another zone, backups, TLS only, no address outside of the network. */
export class Database extends pulumi.ComponentResource {
  /** Host name of the writer. */
  readonly address: pulumi.Output<string>;

  constructor(name: string, args: DatabaseArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:aws:Database', name, {}, opts);
    const { plan, foundation, network, deletionProtection } = args;
    const child = { parent: this };
    const tags = { ...args.tags };
    const subnets = new aws.rds.SubnetGroup(
      name,
      { subnetIds: network.privateSubnets.map(({ id }) => id), tags },
      child,
    );
    const parameters = new aws.rds.ParameterGroup(
      name,
      {
        family,
        parameters: [
          { name: 'rds.force_ssl', value: '1', applyMethod: 'immediate' },
          { name: 'max_connections', value: String(foundation.database.connections), applyMethod: 'pending-reboot' },
        ],
        tags,
      },
      child,
    );
    const { names } = foundation;
    // Made by AWS it would be kept for ever, and belong to nobody.
    const log = new aws.cloudwatch.LogGroup(
      `${name}-database`,
      { name: `/aws/rds/instance/${names.database}/postgresql`, retentionInDays: keepLogsDays, tags },
      child,
    );
    const instance = new aws.rds.Instance(
      name,
      {
        identifier: names.database,
        ...restoredFrom(args.restoreFrom),
        engine: 'postgres',
        engineVersion: engines.postgres.version,
        instanceClass: foundation.database.instanceClass,
        multiAz: foundation.database.multiAz,
        storageType: 'gp3',
        allocatedStorage: Math.max(20, plan.storageGib),
        // It grows before it is full.
        maxAllocatedStorage: 10 * Math.max(20, plan.storageGib),
        storageEncrypted: true,
        username: serverAdmin,
        password: args.adminPassword,
        dbSubnetGroupName: subnets.name,
        parameterGroupName: parameters.name,
        vpcSecurityGroupIds: [args.securityGroupId],
        publiclyAccessible: false,
        backupRetentionPeriod: plan.keepBackupsDays,
        backupWindow: '03:00-04:00',
        maintenanceWindow: 'sun:04:30-sun:05:30',
        copyTagsToSnapshot: true,
        deletionProtection,
        // Whoever deletes it keeps its last state, and what its automatic backups reach back to.
        skipFinalSnapshot: false,
        finalSnapshotIdentifier: this.#lastSnapshot(name, names.database),
        deleteAutomatedBackups: false,
        // Else another class, standby or version waits for Sunday, and an up that needs it is told to be done before.
        applyImmediately: true,
        autoMinorVersionUpgrade: true,
        // infra/versions.ts raises it on purpose; RDS refuses it without a word for it.
        allowMajorVersionUpgrade: true,
        performanceInsightsEnabled: true,
        enabledCloudwatchLogsExports: ['postgresql'],
        tags,
      },
      {
        ...child,
        ...{ dependsOn: log, protect: deletionProtection },
        customTimeouts: { create: '60m', update: '90m', delete: '60m' },
      },
    );
    this.address = instance.address;
    this.registerOutputs({ address: this.address });
  }

  /** Of a name that no stack before this one has given: a snapshot outlives its stack. */
  #lastSnapshot(name: string, database: string): pulumi.Output<string> {
    const input = randomBytes(4).toString('hex');
    const stash = new pulumi.Stash(`${name}-last-snapshot`, { input }, { parent: this, ignoreChanges: ['input'] });
    return pulumi.interpolate`${database}-final-${stash.output.apply(String)}`;
  }
}

/** Its data is another database's, as it was then; without either it begins empty. */
function restoredFrom(source: DatabaseArgs['restoreFrom']) {
  if (source === undefined) return {};
  const { snapshot, instance, time } = source;
  if (snapshot !== undefined) return { snapshotIdentifier: snapshot };
  const when = time === undefined ? { useLatestRestorableTime: true } : { restoreTime: time };
  return { restoreToPointInTime: { sourceDbInstanceIdentifier: instance ?? '', ...when } };
}
