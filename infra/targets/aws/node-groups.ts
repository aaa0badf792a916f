import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import type { Cluster } from './cluster.ts';
import type { Network } from './network.ts';
import type { AwsPlan, FoundationPlan, NodeGroupName } from './plan.ts';
import { serviceRole } from './service-role.ts';

export interface NodeGroupsArgs {
  plan: FoundationPlan;
  tags: AwsPlan['tags'];
  network: Network;
  cluster: Cluster;
  /** Of the nodes that clients reach directly. */
  roomsSecurityGroupId: pulumi.Input<string>;
}

const groups: readonly NodeGroupName[] = ['rooms', 'agents', 'general'];
const policies = ['AmazonEKSWorkerNodePolicy', 'AmazonEC2ContainerRegistryPullOnly', 'AmazonEKS_CNI_Policy'];
const diskGib = 50;

/** Managed autoscaling groups: rooms with public addresses, agents by capacity, and one for the rest. */
export class NodeGroups extends pulumi.ComponentResource {
  /** Names of the autoscaling groups, for balancers to find their nodes. */
  readonly autoscalingGroups: Record<NodeGroupName, pulumi.Output<string>>;

  constructor(name: string, args: NodeGroupsArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:aws:NodeGroups', name, {}, opts);
    const child = { parent: this };
    const role = serviceRole(
      `${name}-nodes`,
      { service: 'ec2.amazonaws.com', policies: [...policies, 'AmazonSSMManagedInstanceCore'], tags: args.tags },
      child,
    );
    const made = groups.map((group) => [group, this.#group(name, group, args, role)] as const);
    this.autoscalingGroups = Object.fromEntries(
      made.map(([group, { resources }]) => [
        group,
        resources.apply((found) => found[0]?.autoscalingGroups[0]?.name ?? ''),
      ]),
    ) as Record<NodeGroupName, pulumi.Output<string>>;
    this.registerOutputs({});
  }

  #group(name: string, group: NodeGroupName, args: NodeGroupsArgs, role: ReturnType<typeof serviceRole>) {
    const { plan, tags, network, cluster, roomsSecurityGroupId } = args;
    const { instanceType, min, max } = plan.nodeGroups[group];
    const isOfRooms = group === 'rooms';
    const template = new aws.ec2.LaunchTemplate(
      `${name}-${group}`,
      {
        instanceType,
        vpcSecurityGroupIds: [cluster.securityGroupId, ...(isOfRooms ? [roomsSecurityGroupId] : [])],
        blockDeviceMappings: [
          {
            deviceName: '/dev/xvda',
            ebs: { encrypted: 'true', volumeSize: diskGib, volumeType: 'gp3', deleteOnTermination: 'true' },
          },
        ],
        // One hop: pods do not reach the node's own credentials.
        metadataOptions: { httpEndpoint: 'enabled', httpTokens: 'required', httpPutResponseHopLimit: 1 },
        tagSpecifications: ['instance', 'volume', 'network-interface'].map((resourceType) => ({
          resourceType,
          tags: { ...tags, Name: `${name}-${group}` },
        })),
        tags: { ...tags },
      },
      { parent: this },
    );
    return new aws.eks.NodeGroup(
      `${name}-${group}`,
      {
        clusterName: cluster.cluster.name,
        nodeRoleArn: role.arn,
        subnetIds: (isOfRooms ? network.publicSubnets : network.privateSubnets).map(({ id }) => id),
        amiType: 'AL2023_x86_64_STANDARD',
        launchTemplate: { id: template.id, version: template.latestVersion.apply(String) },
        scalingConfig: { minSize: min, maxSize: max, desiredSize: min },
        updateConfig: { maxUnavailable: 1 },
        labels: { 'parley.dev/nodes': group },
        ...(isOfRooms ? { taints: [{ key: 'parley.dev/nodes', value: 'rooms', effect: 'NO_SCHEDULE' }] } : {}),
        tags: { ...tags },
      },
      // The autoscaler decides how many there are.
      { parent: this, dependsOn: role.attachments, ignoreChanges: ['scalingConfig.desiredSize'] },
    );
  }
}
