import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import type { Foundation } from './foundation.ts';
import type { AwsPlan } from './plan.ts';

export interface TenantRoutesArgs {
  domain: string;
  /** How long a room server that stops may have somebody. */
  roomGraceSeconds: number;
  aws: AwsPlan;
  foundation: Foundation;
  /** Undefined where it is the balancer's own already. */
  certificateArn: pulumi.Input<string> | undefined;
}

/** The tenant's host name on the balancer: signalling, and nothing else, to the room servers; everything else to the API. */
export class TenantRoutes extends pulumi.ComponentResource {
  constructor(name: string, args: TenantRoutesArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:aws:TenantRoutes', name, {}, opts);
    const { aws: awsPlan, foundation } = args;
    const child = { parent: this };
    const tags = { ...awsPlan.tags };
    const common = { vpcId: foundation.vpcId, targetType: 'instance', protocol: 'HTTP', tags };
    const api = new aws.lb.TargetGroup(
      `${name}-api`,
      {
        ...common,
        name: awsPlan.names.apiTargets,
        port: awsPlan.apiNodePort,
        deregistrationDelay: 30,
        // Nodes are asked, not pods: whoever answers can forward, also while the database is away.
        healthCheck: { path: '/health', matcher: '200,503', interval: 10, healthyThreshold: 2, unhealthyThreshold: 3 },
      },
      child,
    );
    const rooms = new aws.lb.TargetGroup(
      `${name}-rooms`,
      {
        ...common,
        name: awsPlan.names.roomTargets,
        port: awsPlan.roomsNodePort,
        // Nobody new comes to a node that goes; who is there stays until it is gone.
        deregistrationDelay: Math.min(3_600, args.roomGraceSeconds),
        healthCheck: { path: '/', matcher: '200', interval: 10, healthyThreshold: 2, unhealthyThreshold: 2 },
      },
      child,
    );
    const attach = (what: string, group: aws.lb.TargetGroup, nodes: pulumi.Input<string>) =>
      new aws.autoscaling.Attachment(
        `${name}-${what}`,
        { autoscalingGroupName: nodes, lbTargetGroupArn: group.arn },
        child,
      );
    attach('api', api, foundation.nodes.general);
    for (const group of ['rooms-blue', 'rooms-green'] as const) attach(group, rooms, foundation.nodes[group]);
    if (args.certificateArn !== undefined) {
      new aws.lb.ListenerCertificate(
        name,
        { listenerArn: foundation.balancer.listenerArn, certificateArn: args.certificateArn },
        child,
      );
    }
    const rule = (what: string, priority: number, group: aws.lb.TargetGroup, paths: string[]) =>
      new aws.lb.ListenerRule(
        `${name}-${what}`,
        {
          listenerArn: foundation.balancer.listenerArn,
          priority,
          conditions: [
            { hostHeader: { values: [args.domain] } },
            ...(paths.length > 0 ? [{ pathPattern: { values: paths } }] : []),
          ],
          actions: [{ type: 'forward', targetGroupArn: group.arn }],
          tags,
        },
        child,
      );
    rule('rooms', awsPlan.rulePriority.rooms, rooms, ['/rtc', '/rtc/*']);
    rule('api', awsPlan.rulePriority.api, api, []);
    this.registerOutputs({});
  }
}
