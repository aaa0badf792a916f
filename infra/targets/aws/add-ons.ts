import * as aws from '@pulumi/aws';
import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { type AddOn, type ClusterVersions, charts } from '../../versions.ts';
import { addOnOf } from './networking.ts';
import type { AwsPlan } from './plan.ts';
import { serviceRole } from './service-role.ts';

export interface AddOnsArgs {
  tags: AwsPlan['tags'];
  cluster: aws.eks.Cluster;
  /** Nodes must be there: the deployments among these are awaited. */
  nodes: pulumi.Resource;
  scales: boolean;
  versions: ClusterVersions;
}

const addOns: readonly AddOn[] = ['kube-proxy', 'coredns', 'aws-secrets-store-csi-driver-provider'];

const autoscalerAccount = 'cluster-autoscaler';

/** What a cluster of EKS lacks once it has nodes: names, secrets for pods, scaling of pods and of nodes. */
export class AddOns extends pulumi.ComponentResource {
  constructor(name: string, args: AddOnsArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:aws:AddOns', name, {}, opts);
    const { cluster, nodes } = args;
    const installed = addOns.map((addOn) => addOnOf(name, { addOn, ...args }, { parent: this, dependsOn: nodes }));
    const release = (what: keyof typeof charts, namespace: string, values: object) => {
      const { chart, version, repo } = charts[what];
      return new k8s.helm.v3.Release(
        `${name}-${what}`,
        { chart, version, repositoryOpts: { repo }, namespace, createNamespace: namespace !== 'kube-system', values },
        { parent: this, dependsOn: installed },
      );
    };
    if (args.scales) release('keda', 'keda', { resources: {} });
    this.#autoscaler(name, args);
    release('autoscaler', 'kube-system', {
      autoDiscovery: { clusterName: cluster.name },
      awsRegion: aws.getRegionOutput({}, { parent: this }).region,
      // Of the cluster's own minor version, as its makers ask.
      image: { tag: args.versions.autoscaler },
      rbac: { serviceAccount: { name: autoscalerAccount } },
    });
    this.registerOutputs({});
  }

  /** It may change groups of this cluster, and look at all. */
  #autoscaler(name: string, { cluster, tags }: AddOnsArgs): void {
    const child = { parent: this };
    const role = serviceRole(`${name}-autoscaler`, { service: 'pods.eks.amazonaws.com', policies: [], tags }, child);
    const ofCluster = cluster.name.apply((owner) => ({
      StringEquals: { [`aws:ResourceTag/kubernetes.io/cluster/${owner}`]: 'owned' },
    }));
    new aws.iam.RolePolicy(
      `${name}-autoscaler`,
      {
        role: role.name,
        policy: pulumi.jsonStringify({
          Version: '2012-10-17',
          Statement: [
            {
              Effect: 'Allow',
              Action: [
                'autoscaling:DescribeAutoScalingGroups',
                'autoscaling:DescribeAutoScalingInstances',
                'autoscaling:DescribeLaunchConfigurations',
                'autoscaling:DescribeScalingActivities',
                'autoscaling:DescribeTags',
                'ec2:DescribeImages',
                'ec2:DescribeInstanceTypes',
                'ec2:DescribeLaunchTemplateVersions',
                'eks:DescribeNodegroup',
              ],
              Resource: '*',
            },
            {
              Effect: 'Allow',
              Action: ['autoscaling:SetDesiredCapacity', 'autoscaling:TerminateInstanceInAutoScalingGroup'],
              Resource: '*',
              Condition: ofCluster,
            },
          ],
        }),
      },
      child,
    );
    new aws.eks.PodIdentityAssociation(
      `${name}-autoscaler`,
      {
        clusterName: cluster.name,
        namespace: 'kube-system',
        serviceAccount: autoscalerAccount,
        roleArn: role.arn,
        tags: { ...tags },
      },
      child,
    );
  }
}
