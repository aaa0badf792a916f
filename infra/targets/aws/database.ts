import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import type { DatabasePlan } from '../../plan/database.ts';
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
}

const family = 'postgres18';
export const serverAdmin = 'parley_server';

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
          { name: 'max_connections', value: String(plan.maxConnections), applyMethod: 'pending-reboot' },
        ],
        tags,
      },
      child,
    );
    const instance = new aws.rds.Instance(
      name,
      {
        identifier: foundation.names.database,
        engine: 'postgres',
        engineVersion: '18',
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
        skipFinalSnapshot: !deletionProtection,
        ...(deletionProtection ? { finalSnapshotIdentifier: `${foundation.names.database}-final` } : {}),
        autoMinorVersionUpgrade: true,
        performanceInsightsEnabled: true,
        enabledCloudwatchLogsExports: ['postgresql'],
        tags,
      },
      { ...child, customTimeouts: { create: '60m', update: '90m', delete: '60m' } },
    );
    this.address = instance.address;
    this.registerOutputs({ address: this.address });
  }
}
