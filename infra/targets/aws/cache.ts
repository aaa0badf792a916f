import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import type { Network } from './network.ts';
import type { AwsPlan, FoundationPlan } from './plan.ts';

export interface ElastiCacheArgs {
  plan: FoundationPlan;
  tags: AwsPlan['tags'];
  network: Network;
  securityGroupId: pulumi.Input<string>;
  password: pulumi.Input<string>;
}

/** A database number for each slot of the foundation. */
const databases = 64;

/** ElastiCache with Valkey, encrypted on disk and on the way; one primary, whose replica takes its place. */
export class ElastiCache extends pulumi.ComponentResource {
  /** Without a database number: `rediss://:password@host:port`. */
  readonly url: pulumi.Output<string>;

  constructor(name: string, args: ElastiCacheArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:aws:ElastiCache', name, {}, opts);
    const { plan, network, password } = args;
    const child = { parent: this };
    const tags = { ...args.tags };
    const subnets = new aws.elasticache.SubnetGroup(
      name,
      { subnetIds: network.privateSubnets.map(({ id }) => id), tags },
      child,
    );
    const parameters = new aws.elasticache.ParameterGroup(
      name,
      { family: 'valkey8', parameters: [{ name: 'databases', value: String(databases) }], tags },
      child,
    );
    const several = plan.cache.nodes > 1;
    const group = new aws.elasticache.ReplicationGroup(
      name,
      {
        replicationGroupId: plan.names.cache,
        description: 'Room servers and counted requests',
        engine: 'valkey',
        engineVersion: '8.0',
        nodeType: plan.cache.nodeType,
        numCacheClusters: plan.cache.nodes,
        automaticFailoverEnabled: several,
        multiAzEnabled: several,
        port: 6_379,
        parameterGroupName: parameters.name,
        subnetGroupName: subnets.name,
        securityGroupIds: [args.securityGroupId],
        atRestEncryptionEnabled: true,
        transitEncryptionEnabled: true,
        authToken: password,
        tags,
      },
      child,
    );
    this.url = pulumi.secret(pulumi.interpolate`rediss://:${password}@${group.primaryEndpointAddress}:6379`);
    this.registerOutputs({});
  }
}
