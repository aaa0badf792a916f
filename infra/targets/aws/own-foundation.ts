import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { KeptSecrets } from '../../components/kept-secrets.ts';
import type { TenantPlan } from '../../plan/tenant-plan.ts';
import { AddOns } from './add-ons.ts';
import { Balancer } from './balancer.ts';
import { ElastiCache } from './cache.ts';
import { Cluster } from './cluster.ts';
import { Database } from './database.ts';
import { Doors } from './doors.ts';
import type { Foundation } from './foundation.ts';
import { Network } from './network.ts';
import { Networking } from './networking.ts';
import { NodeGroups } from './node-groups.ts';
import { PhoneDoors } from './phone-doors.ts';
import type { AwsPlan, FoundationPlan } from './plan.ts';
import { GuestSeats } from './seats.ts';
import { SecurityGroups } from './security-groups.ts';

export interface OwnFoundationArgs {
  plan: TenantPlan;
  aws: AwsPlan;
  foundation: FoundationPlan;
  kept: KeptSecrets;
  certificateArn: pulumi.Input<string>;
}

/** Network, cluster, nodes, database server, cache and balancer of a stack that creates its own. */
export class OwnFoundation extends pulumi.ComponentResource {
  readonly foundation: Foundation;
  readonly network: Network;
  readonly mediaBalancerSecurityGroupId: pulumi.Output<string>;
  /** Undefined where nobody calls. */
  readonly phoneBalancerSecurityGroupId: pulumi.Output<string> | undefined;

  constructor(name: string, args: OwnFoundationArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:aws:Foundation', name, {}, opts);
    const {
      plan,
      kept,
      certificateArn,
      foundation,
      aws: { tags },
    } = args;
    const { cidr, operatorCidrs, deletionProtection } = plan.tenant.aws;
    const { kubernetesVersion } = foundation;
    const child = { parent: this };
    const common = { plan: foundation, tags };
    this.network = new Network(name, common, child);
    const { vpc } = this.network;
    const inNetwork = { ...common, network: this.network };
    const groups = new SecurityGroups(name, { vpcId: vpc.id, cidr, tags, hasPhone: plan.phone !== undefined }, child);
    const cluster = new Cluster(
      name,
      { ...inNetwork, version: kubernetesVersion, operatorCidrs, operators: plan.tenant.aws.operators },
      child,
    );
    const ofCluster = { tags, cluster: cluster.cluster, versions: foundation.versions };
    const networking = new Networking(name, ofCluster, child);
    const nodes = new NodeGroups(
      name,
      { ...inNetwork, cluster, roomsSecurityGroupId: groups.rooms.id },
      { ...child, dependsOn: networking },
    );
    const provider = new k8s.Provider(
      `${name}-add-ons`,
      { kubeconfig: cluster.kubeconfig, clusterIdentifier: foundation.names.cluster },
      child,
    );
    new AddOns(
      name,
      { ...ofCluster, nodes, scales: plan.tenant.autoscaling === 'keda' },
      { ...child, providers: { kubernetes: provider } },
    );
    const database = new Database(
      name,
      {
        plan: plan.database,
        deletionProtection,
        foundation,
        tags,
        network: this.network,
        securityGroupId: groups.database.id,
        adminPassword: kept.databaseServerPassword,
        restoreFrom: plan.tenant.database.restoreFrom,
      },
      child,
    );
    const { guests } = foundation;
    const seats = {
      0: {
        databasePassword: kept.databaseAdminPassword,
        cachePassword: kept.cachePassword,
        formerCachePassword: kept.formerCachePassword,
      },
      ...new GuestSeats(
        `${name}-guests`,
        { count: guests?.count ?? 0, generation: plan.tenant.rotation.guestPasswords },
        child,
      ).seats,
    };
    const cache = new ElastiCache(name, { ...inNetwork, securityGroupId: groups.cache.id, seats }, child);
    const balancer = new Balancer(
      name,
      { ...inNetwork, securityGroupId: groups.balancer.id, certificateArn, deletionProtection },
      child,
    );
    new Doors(
      name,
      {
        ...{ ports: plan.rooms.ports, aws: args.aws, guests: guests?.count ?? 0 },
        roomsSecurityGroupId: groups.rooms.id,
        nodesSecurityGroupId: cluster.securityGroupId,
        balancerSecurityGroupId: groups.balancer.id,
        turnSecurityGroupId: groups.mediaBalancer.id,
      },
      child,
    );
    if (plan.phone && groups.phoneBalancer)
      new PhoneDoors(
        name,
        {
          ...{ phone: plan.phone, tags },
          roomsSecurityGroupId: groups.rooms.id,
          balancerSecurityGroupId: groups.phoneBalancer.id,
        },
        child,
      );
    this.phoneBalancerSecurityGroupId = groups.phoneBalancer?.id;
    this.mediaBalancerSecurityGroupId = groups.mediaBalancer.id;
    this.foundation = {
      vpcId: vpc.id,
      clusterName: cluster.cluster.name,
      kubeconfig: cluster.kubeconfig,
      nodes: nodes.autoscalingGroups,
      balancer: { dnsName: balancer.dnsName, zoneId: balancer.zoneId, listenerArn: balancer.listenerArn },
      databaseAddress: database.address,
      cacheAddress: cache.address,
      ...{ seats, guests, cidr },
    };
    this.registerOutputs({});
  }
}
