import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import type { PhonePorts } from '../../plan/phone.ts';
import type { AwsPlan } from './plan.ts';

export interface PhoneBalancerArgs {
  name: string;
  targetsName: string;
  tags: AwsPlan['tags'];
  vpcId: pulumi.Input<string>;
  subnetIds: pulumi.Input<string>[];
  securityGroupId: pulumi.Input<string>;
  /** Autoscaling groups, each by a name of ours. */
  nodes: Readonly<Record<string, pulumi.Input<string>>>;
  ports: PhonePorts;
  deletionProtection: boolean;
}

/**
 * The one address that carriers know: a call's first request comes by it to a node whose bridge takes calls. All that follows, and the
 * sound, goes by the node's own address, which the bridge names in its answer.
 */
export class PhoneBalancer extends pulumi.ComponentResource {
  readonly dnsName: pulumi.Output<string>;
  readonly zoneId: pulumi.Output<string>;

  constructor(name: string, args: PhoneBalancerArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:aws:PhoneBalancer', name, {}, opts);
    const { signalling, health } = args.ports;
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
        protocol: 'TCP_UDP',
        port: signalling,
        deregistrationDelay: 300,
        // A bridge that waits for its last call, or has no CPU left, answers otherwise, and gets no new ones.
        healthCheck: { protocol: 'HTTP', path: '/', port: String(health), matcher: '200', interval: 10 },
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
        port: signalling,
        protocol: 'TCP_UDP',
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
