import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { keepLogsDays } from './database.ts';
import type { Network } from './network.ts';
import type { AwsPlan, FoundationPlan } from './plan.ts';
import { serviceRole } from './service-role.ts';

export interface ClusterArgs {
  plan: FoundationPlan;
  tags: AwsPlan['tags'];
  network: Network;
  version: string;
  /** From where the cluster's API may be reached; none: from inside the network only. */
  operatorCidrs: readonly string[];
  /** ARNs of who may do everything in it, beside whoever creates it. */
  operators: readonly string[];
}

/** EKS with its secrets encrypted by a key of ours and network policies that are enforced. */
export class Cluster extends pulumi.ComponentResource {
  readonly cluster: aws.eks.Cluster;
  /** Of every node and of the control plane. */
  readonly securityGroupId: pulumi.Output<string>;
  readonly kubeconfig: pulumi.Output<string>;

  constructor(name: string, args: ClusterArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:aws:Cluster', name, {}, opts);
    const { plan, tags, network, operatorCidrs } = args;
    const child = { parent: this };
    const role = serviceRole(
      `${name}-control`,
      { service: 'eks.amazonaws.com', policies: ['AmazonEKSClusterPolicy'], tags },
      child,
    );
    const key = new aws.kms.Key(
      name,
      { description: `Secrets of the cluster ${plan.names.cluster}`, enableKeyRotation: true, tags: { ...tags } },
      child,
    );
    // Made by AWS it would be kept for ever, and belong to nobody.
    const log = new aws.cloudwatch.LogGroup(
      `${name}-cluster`,
      { name: `/aws/eks/${plan.names.cluster}/cluster`, retentionInDays: keepLogsDays, tags: { ...tags } },
      child,
    );
    this.cluster = new aws.eks.Cluster(
      name,
      {
        name: plan.names.cluster,
        version: args.version,
        // One that is left behind is upgraded by AWS, instead of costing six times as much.
        upgradePolicy: { supportType: 'STANDARD' },
        roleArn: role.arn,
        vpcConfig: {
          subnetIds: network.privateSubnets.map(({ id }) => id),
          endpointPrivateAccess: true,
          endpointPublicAccess: operatorCidrs.length > 0,
          ...(operatorCidrs.length > 0 ? { publicAccessCidrs: [...operatorCidrs] } : {}),
        },
        accessConfig: { authenticationMode: 'API', bootstrapClusterCreatorAdminPermissions: true },
        encryptionConfig: { provider: { keyArn: key.arn }, resources: ['secrets'] },
        enabledClusterLogTypes: ['api', 'audit', 'authenticator'],
        tags: { ...tags },
      },
      { ...child, dependsOn: [...role.attachments, log] },
    );
    this.#admit(name, args);
    this.securityGroupId = this.cluster.vpcConfig.apply(({ clusterSecurityGroupId }) => clusterSecurityGroupId);
    this.kubeconfig = kubeconfigOf(this.cluster, aws.getRegionOutput({}, child).region);
    this.registerOutputs({ kubeconfig: this.kubeconfig });
  }

  #admit(name: string, { operators, tags }: ClusterArgs): void {
    const child = { parent: this };
    const clusterName = this.cluster.name;
    for (const principalArn of operators) {
      const operator = `${name}-${principalArn.split('/').at(-1)}`;
      const entry = new aws.eks.AccessEntry(operator, { clusterName, principalArn, tags: { ...tags } }, child);
      new aws.eks.AccessPolicyAssociation(
        operator,
        {
          ...{ clusterName, principalArn: entry.principalArn, policyArn: clusterAdmin },
          accessScope: { type: 'cluster' },
        },
        child,
      );
    }
  }
}

/** EKS's own policy. */
const clusterAdmin = 'arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy';

type Addressed = Pick<aws.eks.Cluster, 'name' | 'endpoint' | 'certificateAuthority'>;

/** A token is asked for with the AWS CLI, as whoever runs Pulumi. */
export const kubeconfigOf = (
  { name, endpoint, certificateAuthority }: Addressed,
  region: pulumi.Output<string>,
): pulumi.Output<string> =>
  pulumi.jsonStringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'eks',
        cluster: { server: endpoint, 'certificate-authority-data': certificateAuthority.apply(({ data }) => data) },
      },
    ],
    contexts: [{ name: 'eks', context: { cluster: 'eks', user: 'eks' } }],
    'current-context': 'eks',
    users: [
      {
        name: 'eks',
        user: {
          exec: {
            apiVersion: 'client.authentication.k8s.io/v1beta1',
            command: 'aws',
            args: ['--region', region, 'eks', 'get-token', '--cluster-name', name],
            interactiveMode: 'Never',
          },
        },
      },
    ],
  });
