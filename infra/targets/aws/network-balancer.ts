import * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import type { AwsPlan } from './plan.ts';

/** What any balancer of packets needs; each kind says the rest. */
export interface NetworkBalancerArgs {
  name: string;
  targetsName: string;
  tags: AwsPlan['tags'];
  vpcId: pulumi.Input<string>;
  subnetIds: pulumi.Input<string>[];
  securityGroupId: pulumi.Input<string>;
  /** Autoscaling groups, each by a name of ours. */
  nodes: Readonly<Record<string, pulumi.Input<string>>>;
  deletionProtection: boolean;
}

interface Kind {
  targets: Pick<aws.lb.TargetGroupArgs, 'protocol' | 'port' | 'healthCheck'>;
  listener: Pick<aws.lb.ListenerArgs, 'protocol' | 'port' | 'sslPolicy' | 'certificateArn'>;
}

/** A network load balancer in front of nodes, with one listener: the parts of the component `child.parent`, under its name. */
export function networkBalancer(
  name: string,
  args: NetworkBalancerArgs,
  { targets: targetsOf, listener }: Kind,
  child: { parent: pulumi.Resource },
): { dnsName: pulumi.Output<string>; zoneId: pulumi.Output<string> } {
  const tags = { ...args.tags };
  const balancer = new aws.lb.LoadBalancer(
    name,
    {
      name: args.name,
      loadBalancerType: 'network',
      subnets: args.subnetIds,
      securityGroups: [args.securityGroupId],
      enableCrossZoneLoadBalancing: true,
      enableDeletionProtection: args.deletionProtection,
      tags,
    },
    child,
  );
  const targets = new aws.lb.TargetGroup(
    name,
    {
      name: args.targetsName,
      vpcId: args.vpcId,
      targetType: 'instance',
      deregistrationDelay: 300,
      ...targetsOf,
      tags,
    },
    child,
  );
  for (const [group, autoscalingGroupName] of Object.entries(args.nodes))
    new aws.autoscaling.Attachment(`${name}-${group}`, { autoscalingGroupName, lbTargetGroupArn: targets.arn }, child);
  new aws.lb.Listener(
    name,
    {
      loadBalancerArn: balancer.arn,
      ...listener,
      defaultActions: [{ type: 'forward', targetGroupArn: targets.arn }],
      tags,
    },
    child,
  );
  return { dnsName: balancer.dnsName, zoneId: balancer.zoneId };
}
