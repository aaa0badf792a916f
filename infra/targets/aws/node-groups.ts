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

const groups: readonly NodeGroupName[] = ['rooms-blue', 'rooms-green', 'agents', 'general'];
/** Room servers share their node's network and may become the node to AWS: it may pull images and join the cluster, no more. */
const policies = ['AmazonEKSWorkerNodePolicy', 'AmazonEC2ContainerRegistryPullOnly'];
const diskGib = 50;

/** Managed autoscaling groups: two for rooms, with public addresses, one for agents, and one for the rest. */
export class NodeGroups extends pulumi.ComponentResource {
  /** Names of the autoscaling groups, for balancers to find their nodes. */
  readonly autoscalingGroups: Record<NodeGroupName, pulumi.Output<string>>;

  constructor(name: string, args: NodeGroupsArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:aws:NodeGroups', name, {}, opts);
    const child = { parent: this };
    const role = serviceRole(`${name}-nodes`, { service: 'ec2.amazonaws.com', policies, tags: args.tags }, child);
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
    const { instanceType, image, labels, isPublic, idle, least, most } = plan.nodeGroups[group];
    const template = new aws.ec2.LaunchTemplate(
      `${name}-${group}`,
      {
        instanceType,
        vpcSecurityGroupIds: [cluster.securityGroupId, ...(isPublic ? [roomsSecurityGroupId] : [])],
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
        subnetIds: (isPublic ? network.publicSubnets : network.privateSubnets).map(({ id }) => id),
        version: image.kubernetes,
        releaseVersion: image.release,
        amiType: 'AL2023_x86_64_STANDARD',
        launchTemplate: { id: template.id, version: template.latestVersion.apply(String) },
        scalingConfig: { minSize: least, maxSize: most, desiredSize: idle },
        updateConfig: { maxUnavailable: 1 },
        labels: { ...labels },
        ...(isPublic ? { taints: [{ key: 'parley.dev/nodes', value: 'rooms', effect: 'NO_SCHEDULE' }] } : {}),
        tags: { ...tags },
      },
      // The autoscaler decides how many there are.
      { parent: this, dependsOn: role.attachments, ignoreChanges: ['scalingConfig.desiredSize'] },
    );
  }
}
