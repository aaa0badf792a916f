import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { engines } from '../../versions.ts';
import type { Network } from './network.ts';
import { type AwsPlan, cacheUserOf, type FoundationPlan } from './plan.ts';
import type { Seats } from './seats.ts';

export interface ElastiCacheArgs {
  plan: FoundationPlan;
  tags: AwsPlan['tags'];
  network: Network;
  securityGroupId: pulumi.Input<string>;
  seats: Seats;
}

/**
 * Everything of data, publishing and scripts; nothing that stops the server or empties it for others. `info` is what clients ask at
 * first. (https://valkey.io/topics/acl/: @admin, @dangerous)
 */
const mayDo = 'on ~* &* +@all -@admin -@dangerous +info';

/** A database number for each slot of the foundation. */
const databases = 64;

/** ElastiCache with Valkey, encrypted on disk and on the way; one primary, whose replica takes its place. */
export class ElastiCache extends pulumi.ComponentResource {
  /** `host:port`; only TLS is answered. */
  readonly address: pulumi.Output<string>;

  constructor(name: string, args: ElastiCacheArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:aws:ElastiCache', name, {}, opts);
    const { plan, network } = args;
    const child = { parent: this };
    const tags = { ...args.tags };
    const subnets = new aws.elasticache.SubnetGroup(
      name,
      { subnetIds: network.privateSubnets.map(({ id }) => id), tags },
      child,
    );
    const parameters = new aws.elasticache.ParameterGroup(
      name,
      {
        family: `valkey${Number.parseInt(engines.valkey.version, 10)}`,
        parameters: [{ name: 'databases', value: String(databases) }],
        tags,
      },
      child,
    );
    const users = this.#users(name, args);
    const several = plan.cache.nodes > 1;
    const group = new aws.elasticache.ReplicationGroup(
      name,
      {
        replicationGroupId: plan.names.cache,
        description: 'Room servers and counted requests',
        engine: 'valkey',
        engineVersion: engines.valkey.version,
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
        userGroupIds: [users.userGroupId],
        tags,
      },
      child,
    );
    this.address = pulumi.interpolate`${group.primaryEndpointAddress}:6379`;
    this.registerOutputs({});
  }

  /** One for each slot, so that no tenant has what opens another's. */
  #users(name: string, { plan, seats, tags }: ElastiCacheArgs): aws.elasticache.UserGroup {
    const users = Object.entries(seats).map(
      ([slot, { cachePassword, formerCachePassword }]) =>
        new aws.elasticache.User(
          `${name}-${slot}`,
          {
            userId: `${plan.names.cacheUsers}-${slot}`,
            userName: cacheUserOf(slot),
            engine: 'valkey',
            accessString: mayDo,
            // A user has two at most.
            authenticationMode: {
              type: 'password',
              passwords: [cachePassword, ...(formerCachePassword ? [formerCachePassword] : [])],
            },
            tags: { ...tags },
          },
          { parent: this },
        ),
    );
    return new aws.elasticache.UserGroup(
      name,
      {
        userGroupId: plan.names.cacheUsers,
        engine: 'valkey',
        userIds: users.map(({ userId }) => userId),
        tags: { ...tags },
      },
      { parent: this },
    );
  }
}
