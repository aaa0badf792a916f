import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import type { RoomPorts } from '../../plan/rooms.ts';
import type { AwsPlan } from './plan.ts';

export interface RoomDoorsArgs {
  ports: RoomPorts;
  aws: AwsPlan;
  securityGroupId: pulumi.Input<string>;
  balancerSecurityGroupId: pulumi.Input<string>;
  /** Of the balancer in front of TURN, where there is one. */
  turnSecurityGroupId: pulumi.Input<string> | undefined;
}

/** The two ports of this tenant's media for everybody; signalling and TURN for their balancers only. */
export class RoomDoors extends pulumi.ComponentResource {
  constructor(name: string, args: RoomDoorsArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:aws:RoomDoors', name, {}, opts);
    const { ports } = args;
    const tags = { ...args.aws.tags };
    const door = (
      what: string,
      port: number,
      ipProtocol: 'tcp' | 'udp',
      from: { cidrIpv4: string } | { referencedSecurityGroupId: pulumi.Input<string> },
    ) =>
      new aws.vpc.SecurityGroupIngressRule(
        `${name}-rooms-${what}`,
        { securityGroupId: args.securityGroupId, ipProtocol, fromPort: port, toPort: port, ...from, tags },
        { parent: this },
      );
    const everybody = { cidrIpv4: '0.0.0.0/0' };
    door('media-udp', ports.mediaUdp, 'udp', everybody);
    door('media-tcp', ports.mediaTcp, 'tcp', everybody);
    door('signalling', args.aws.roomsNodePort, 'tcp', { referencedSecurityGroupId: args.balancerSecurityGroupId });
    if (ports.turn !== undefined && args.turnSecurityGroupId !== undefined)
      door('turn', args.aws.turnNodePort, 'tcp', { referencedSecurityGroupId: args.turnSecurityGroupId });
    this.registerOutputs({});
  }
}
