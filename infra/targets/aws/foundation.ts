import * as pulumi from '@pulumi/pulumi';

/** What tenants build on, their own or another stack's. Every value may be known only later. */
export interface Foundation {
  vpcId: pulumi.Output<string>;
  clusterName: pulumi.Output<string>;
  kubeconfig: pulumi.Output<string>;
  /** Autoscaling groups that balancers find their nodes in. */
  nodes: { rooms: pulumi.Output<string>; general: pulumi.Output<string> };
  roomsSecurityGroupId: pulumi.Output<string>;
  /** Of every node. */
  nodesSecurityGroupId: pulumi.Output<string>;
  balancerSecurityGroupId: pulumi.Output<string>;
  balancer: { dnsName: pulumi.Output<string>; zoneId: pulumi.Output<string>; listenerArn: pulumi.Output<string> };
  databaseAddress: pulumi.Output<string>;
  /** Of the role that may make databases. A secret. */
  databasePassword: pulumi.Output<string>;
  /** `rediss://:password@host:port`. A secret. */
  cacheUrl: pulumi.Output<string>;
}

/** Plain values of a foundation, as a stack gives them out. */
export const foundationOutputs = (foundation: Foundation): pulumi.Output<unknown> =>
  pulumi.secret(pulumi.output(foundation));

/** The foundation of another stack, which gives it out as `foundation`. */
export function sharedFoundation(stack: string, opts?: pulumi.CustomResourceOptions): Foundation {
  const found = new pulumi.StackReference(stack, {}, opts).requireOutput('foundation') as pulumi.Output<
    Record<string, unknown>
  >;
  const text = (...path: string[]) =>
    found.apply((outputs) => {
      const value = path.reduce<unknown>((part, key) => (part as Record<string, unknown> | undefined)?.[key], outputs);
      if (typeof value !== 'string')
        throw new pulumi.RunError(
          `The stack ${stack} gives out no foundation (${path.join('.')}): it must have "foundation: create" and be up.`,
        );
      return value;
    });
  return {
    vpcId: text('vpcId'),
    clusterName: text('clusterName'),
    kubeconfig: text('kubeconfig'),
    nodes: { rooms: text('nodes', 'rooms'), general: text('nodes', 'general') },
    roomsSecurityGroupId: text('roomsSecurityGroupId'),
    nodesSecurityGroupId: text('nodesSecurityGroupId'),
    balancerSecurityGroupId: text('balancerSecurityGroupId'),
    balancer: {
      dnsName: text('balancer', 'dnsName'),
      zoneId: text('balancer', 'zoneId'),
      listenerArn: text('balancer', 'listenerArn'),
    },
    databaseAddress: text('databaseAddress'),
    databasePassword: text('databasePassword'),
    cacheUrl: text('cacheUrl'),
  };
}
