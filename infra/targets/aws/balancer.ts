import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import type { Network } from './network.ts';
import type { AwsPlan, FoundationPlan } from './plan.ts';

export interface BalancerArgs {
  plan: FoundationPlan;
  tags: AwsPlan['tags'];
  network: Network;
  securityGroupId: pulumi.Input<string>;
  certificateArn: pulumi.Input<string>;
  deletionProtection: boolean;
}

/** Shorter than our servers keep an idle connection (75 s), so that it is never they who close; room clients ping more often. */
export const idleTimeoutSeconds = 60;

/** An application load balancer that answers 404 until a tenant adds its host name. */
export class Balancer extends pulumi.ComponentResource {
  readonly dnsName: pulumi.Output<string>;
  readonly zoneId: pulumi.Output<string>;
  readonly listenerArn: pulumi.Output<string>;

  constructor(name: string, args: BalancerArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:aws:Balancer', name, {}, opts);
    const child = { parent: this };
    const tags = { ...args.tags };
    const balancer = new aws.lb.LoadBalancer(
      name,
      {
        name: args.plan.names.balancer,
        loadBalancerType: 'application',
        subnets: args.network.publicSubnets.map(({ id }) => id),
        securityGroups: [args.securityGroupId],
        idleTimeout: idleTimeoutSeconds,
        dropInvalidHeaderFields: true,
        enableDeletionProtection: args.deletionProtection,
        tags,
      },
      child,
    );
    new aws.lb.Listener(
      `${name}-http`,
      {
        loadBalancerArn: balancer.arn,
        port: 80,
        protocol: 'HTTP',
        defaultActions: [{ type: 'redirect', redirect: { protocol: 'HTTPS', port: '443', statusCode: 'HTTP_301' } }],
        tags,
      },
      child,
    );
    const listener = new aws.lb.Listener(
      `${name}-https`,
      {
        loadBalancerArn: balancer.arn,
        port: 443,
        protocol: 'HTTPS',
        sslPolicy: 'ELBSecurityPolicy-TLS13-1-2-2021-06',
        certificateArn: args.certificateArn,
        defaultActions: [
          {
            type: 'fixed-response',
            fixedResponse: {
              statusCode: '404',
              contentType: 'application/json',
              messageBody: '{"code":"not_found","message":"No tenant has this name."}',
            },
          },
        ],
        tags,
      },
      child,
    );
    this.dnsName = balancer.dnsName;
    this.zoneId = balancer.zoneId;
    this.listenerArn = listener.arn;
    this.registerOutputs({ dnsName: this.dnsName });
  }
}
