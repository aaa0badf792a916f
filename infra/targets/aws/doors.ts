import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { guestMediaPorts, type RoomPorts } from '../../plan/rooms.ts';
import type { AwsPlan } from './plan.ts';

export interface DoorsArgs {
  ports: RoomPorts;
  aws: AwsPlan;
  /** How many guests the foundation is made for. */
  guests: number;
  roomsSecurityGroupId: pulumi.Input<string>;
  nodesSecurityGroupId: pulumi.Input<string>;
  balancerSecurityGroupId: pulumi.Input<string>;
  /** Of the balancer in front of TURN. */
  turnSecurityGroupId: pulumi.Input<string>;
}

interface Door {
  group: pulumi.Input<string>;
  protocol: 'tcp' | 'udp';
  ports: { from: number; to: number };
  from: { cidrIpv4: string } | { referencedSecurityGroupId: pulumi.Input<string> };
}

/**
 * Which ports of nodes answer: media for everybody; API, signalling and TURN for their balancers only. Those of all guests are opened
 * once and side by side: a security group takes 60 rules.
 */
export class Doors extends pulumi.ComponentResource {
  constructor(name: string, args: DoorsArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:aws:Doors', name, {}, opts);
    for (const [what, { group, protocol, ports, from }] of Object.entries(doorsOf(args))) {
      new aws.vpc.SecurityGroupIngressRule(
        `${name}-${what}`,
        {
          securityGroupId: group,
          ipProtocol: protocol,
          fromPort: ports.from,
          toPort: ports.to,
          ...from,
          tags: { ...args.aws.tags },
        },
        { parent: this },
      );
    }
    this.registerOutputs({});
  }
}

function doorsOf({ ports, guests, ...args }: DoorsArgs): Record<string, Door> {
  const everybody = { cidrIpv4: '0.0.0.0/0' };
  const balancer = { referencedSecurityGroupId: args.balancerSecurityGroupId };
  const turnBalancer = { referencedSecurityGroupId: args.turnSecurityGroupId };
  const rooms = args.roomsSecurityGroupId;
  const one = (port: number) => ({ from: port, to: port });
  /** The foundation's own slot, and those of its guests. */
  const slots = (first: number) => ({ from: first, to: first + guests });
  const ofGuests = guestMediaPorts(guests);
  return {
    'rooms-media-udp': { group: rooms, protocol: 'udp', ports: one(ports.mediaUdp), from: everybody },
    'rooms-media-tcp': { group: rooms, protocol: 'tcp', ports: one(ports.mediaTcp), from: everybody },
    ...(guests > 0 && {
      'guests-rooms-media-udp': { group: rooms, protocol: 'udp', ports: ofGuests, from: everybody },
      'guests-rooms-media-tcp': { group: rooms, protocol: 'tcp', ports: ofGuests, from: everybody },
    }),
    'rooms-signalling': { group: rooms, protocol: 'tcp', ports: slots(args.aws.roomsNodePort), from: balancer },
    'rooms-turn': { group: rooms, protocol: 'tcp', ports: one(args.aws.turnNodePort), from: turnBalancer },
    // Nodes answer nobody but each other and the balancer.
    api: { group: args.nodesSecurityGroupId, protocol: 'tcp', ports: slots(args.aws.apiNodePort), from: balancer },
  };
}
