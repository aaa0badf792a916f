import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import type { AwsPlan } from './plan.ts';

export interface MediaBalancerArgs {
  name: string;
  targetsName: string;
  tags: AwsPlan['tags'];
  vpcId: pulumi.Input<string>;
  subnetIds: pulumi.Input<string>[];
  securityGroupId: pulumi.Input<string>;
  certificateArn: pulumi.Input<string>;
  /** Autoscaling groups, each by a name of ours. */
  nodes: Readonly<Record<string, pulumi.Input<string>>>;
  port: number;
  deletionProtection: boolean;
}

/** TURN over TLS on 443, for people whose network lets nothing else out. TLS ends here. */
export class MediaBalancer extends pulumi.ComponentResource {
  readonly dnsName: pulumi.Output<string>;
  readonly zoneId: pulumi.Output<string>;

  constructor(name: string, args: MediaBalancerArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:aws:MediaBalancer', name, {}, opts);
    const child = { parent: this };
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
        protocol: 'TCP',
        port: args.port,
        deregistrationDelay: 300,
        healthCheck: { protocol: 'TCP', interval: 10 },
        tags,
      },
      child,
    );
    for (const [group, autoscalingGroupName] of Object.entries(args.nodes))
      new aws.autoscaling.Attachment(
        `${name}-${group}`,
        { autoscalingGroupName, lbTargetGroupArn: targets.arn },
        child,
      );
    new aws.lb.Listener(
      name,
      {
        loadBalancerArn: balancer.arn,
        port: 443,
        protocol: 'TLS',
        sslPolicy: 'ELBSecurityPolicy-TLS13-1-2-2021-06',
        certificateArn: args.certificateArn,
        defaultActions: [{ type: 'forward', targetGroupArn: targets.arn }],
        tags,
      },
      child,
    );
    this.dnsName = balancer.dnsName;
    this.zoneId = balancer.zoneId;
    this.registerOutputs({});
  }
}
