import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import type { PhonePlan } from '../../plan/phone.ts';
import type { AwsPlan } from './plan.ts';

export interface PhoneDoorsArgs {
  phone: PhonePlan;
  tags: AwsPlan['tags'];
  roomsSecurityGroupId: pulumi.Input<string>;
  balancerSecurityGroupId: pulumi.Input<string>;
}

interface Door {
  group: pulumi.Input<string>;
  protocol: 'tcp' | 'udp';
  from: number;
  to?: number;
  peer: { cidrIpv4: string } | { referencedSecurityGroupId: pulumi.Input<string> };
}

/**
 * Which of the bridges' ports answer, and whom: carriers only. They reach nodes, too: what follows a call's beginning is sent to the node
 * that has it. With ten ranges of each, the group of these nodes has 31 rules more, of the 60 that it takes.
 */
export class PhoneDoors extends pulumi.ComponentResource {
  constructor(name: string, args: PhoneDoorsArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:aws:PhoneDoors', name, {}, opts);
    for (const [what, { group, protocol, from, to = from, peer }] of Object.entries(doorsOf(args))) {
      new aws.vpc.SecurityGroupIngressRule(
        `${name}-phone-${what}`,
        {
          securityGroupId: group,
          ipProtocol: protocol,
          fromPort: from,
          toPort: to,
          ...peer,
          tags: { ...args.tags },
        },
        { parent: this },
      );
    }
    this.registerOutputs({});
  }
}

function doorsOf({ phone, roomsSecurityGroupId: nodes, balancerSecurityGroupId }: PhoneDoorsArgs) {
  const { signalling, media, health } = phone.ports;
  const balancer = { referencedSecurityGroupId: balancerSecurityGroupId };
  const doors: Record<string, Door> = { health: { group: nodes, protocol: 'tcp', from: health, peer: balancer } };
  for (const cidrIpv4 of phone.carriers)
    for (const protocol of ['udp', 'tcp'] as const) {
      const door = { protocol, from: signalling, peer: { cidrIpv4 } };
      doors[`nodes-${protocol}-${cidrIpv4}`] = { ...door, group: nodes };
      doors[`balancer-${protocol}-${cidrIpv4}`] = { ...door, group: balancerSecurityGroupId };
    }
  for (const cidrIpv4 of phone.media)
    doors[`media-${cidrIpv4}`] = { group: nodes, protocol: 'udp', ...media, peer: { cidrIpv4 } };
  return doors;
}
