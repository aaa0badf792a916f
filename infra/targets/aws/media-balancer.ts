import * as pulumi from '@pulumi/pulumi';
import { type NetworkBalancerArgs, networkBalancer } from './network-balancer.ts';

export interface MediaBalancerArgs extends NetworkBalancerArgs {
  certificateArn: pulumi.Input<string>;
  port: number;
}

/** TURN over TLS on 443, for people whose network lets nothing else out. TLS ends here. */
export class MediaBalancer extends pulumi.ComponentResource {
  readonly dnsName: pulumi.Output<string>;
  readonly zoneId: pulumi.Output<string>;

  constructor(name: string, args: MediaBalancerArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:aws:MediaBalancer', name, {}, opts);
    const balancer = networkBalancer(
      name,
      args,
      {
        targets: { protocol: 'TCP', port: args.port, healthCheck: { protocol: 'TCP', interval: 10 } },
        listener: {
          protocol: 'TLS',
          port: 443,
          sslPolicy: 'ELBSecurityPolicy-TLS13-1-2-2021-06',
          certificateArn: args.certificateArn,
        },
      },
      { parent: this },
    );
    this.dnsName = balancer.dnsName;
    this.zoneId = balancer.zoneId;
    this.registerOutputs({});
  }
}
