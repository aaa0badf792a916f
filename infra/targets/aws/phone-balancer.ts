import * as pulumi from '@pulumi/pulumi';
import type { PhonePorts } from '../../plan/phone.ts';
import { type NetworkBalancerArgs, networkBalancer } from './network-balancer.ts';

export interface PhoneBalancerArgs extends NetworkBalancerArgs {
  ports: PhonePorts;
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
    const balancer = networkBalancer(
      name,
      args,
      {
        targets: {
          protocol: 'TCP_UDP',
          port: signalling,
          // A bridge that waits for its last call, or has no CPU left, answers otherwise, and gets no new ones.
          healthCheck: { protocol: 'HTTP', path: '/', port: String(health), matcher: '200', interval: 10 },
        },
        listener: { protocol: 'TCP_UDP', port: signalling },
      },
      { parent: this },
    );
    this.dnsName = balancer.dnsName;
    this.zoneId = balancer.zoneId;
    this.registerOutputs({});
  }
}
