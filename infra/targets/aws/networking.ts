import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import type { AddOn, ClusterVersions } from '../../versions.ts';
import type { AwsPlan } from './plan.ts';
import { serviceRole } from './service-role.ts';

export interface NetworkingArgs {
  tags: AwsPlan['tags'];
  cluster: aws.eks.Cluster;
  versions: ClusterVersions;
}

/**
 * What nodes need before they are ready, and as long as a pod is stopped on them: a network whose policies are enforced, and identities for
 * pods. Rights over addresses are given to the pods that hand these out, and not to every program on a node.
 */
export class Networking extends pulumi.ComponentResource {
  constructor(name: string, args: NetworkingArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:aws:Networking', name, {}, opts);
    const { cluster, tags } = args;
    const child = { parent: this };
    const role = serviceRole(
      `${name}-network`,
      { service: 'pods.eks.amazonaws.com', policies: ['AmazonEKS_CNI_Policy'], tags },
      child,
    );
    const mayAddress = new aws.eks.PodIdentityAssociation(
      `${name}-network`,
      {
        ...{ clusterName: cluster.name, namespace: 'kube-system', serviceAccount: 'aws-node', roleArn: role.arn },
        tags: { ...tags },
      },
      { ...child, dependsOn: role.attachments },
    );
    const afterwards = { ...child, dependsOn: mayAddress };
    addOnOf(name, { ...args, addOn: 'eks-pod-identity-agent' }, afterwards);
    // Without this setting network policies are accepted and not enforced.
    addOnOf(name, { ...args, addOn: 'vpc-cni', settings: { enableNetworkPolicy: 'true' } }, afterwards);
    this.registerOutputs({});
  }
}

interface AddOnArgs extends NetworkingArgs {
  addOn: AddOn;
  settings?: object;
}

/** An add-on of EKS, of the version that belongs to the cluster's. */
export const addOnOf = (
  name: string,
  { addOn, settings, cluster, versions, tags }: AddOnArgs,
  opts: pulumi.CustomResourceOptions,
): aws.eks.Addon =>
  new aws.eks.Addon(
    `${name}-${addOn}`,
    {
      clusterName: cluster.name,
      addonName: addOn,
      addonVersion: versions.addOns[addOn],
      ...(settings === undefined ? {} : { configurationValues: JSON.stringify(settings) }),
      resolveConflictsOnCreate: 'OVERWRITE',
      resolveConflictsOnUpdate: 'OVERWRITE',
      tags: { ...tags },
    },
    opts,
  );
