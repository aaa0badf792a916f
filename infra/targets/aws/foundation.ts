import * as pulumi from '@pulumi/pulumi';
import type { Tenant } from '../../tenant.ts';
import type { GuestsPlan } from './guests.ts';
import type { Seat, Seats } from './seats.ts';

/** What tenants build on, their own or another stack's. Every value may be known only later. */
export interface Foundation {
  vpcId: pulumi.Output<string>;
  clusterName: pulumi.Output<string>;
  kubeconfig: pulumi.Output<string>;
  /** Autoscaling groups that balancers find their nodes in. */
  nodes: Record<'rooms-blue' | 'rooms-green' | 'general', pulumi.Output<string>>;
  balancer: { dnsName: pulumi.Output<string>; zoneId: pulumi.Output<string>; listenerArn: pulumi.Output<string> };
  databaseAddress: pulumi.Output<string>;
  cacheAddress: pulumi.Output<string>;
  /** Of the foundation's own tenant, which has slot 0, and its guests; of another stack's foundation the tenant's own only. */
  seats: Seats;
  /** Which tenants it is made for; undefined on another stack's. */
  guests: GuestsPlan | undefined;
  cidr: string;
}

/** What a stack gives out for its guests: what is theirs, and nothing of its own tenant. */
export const foundationOutputs = ({ seats, ...foundation }: Foundation): pulumi.Output<unknown> => {
  const { 0: _own, ...ofGuests } = seats;
  return pulumi.secret(pulumi.output({ ...foundation, seats: ofGuests }));
};

type Guest = Pick<Tenant, 'capacity' | 'aws'> & { foundation: { stack: string; slot: number } };

/** The foundation of another stack, which gives it out as `foundation`. What the guest asks for beyond it ends the preview. */
export function sharedFoundation(guest: Guest, opts?: pulumi.CustomResourceOptions): Foundation {
  const { stack, slot } = guest.foundation;
  const given = new pulumi.StackReference(stack, {}, opts).requireOutput('foundation') as pulumi.Output<
    Record<string, unknown>
  >;
  const found = given.apply((outputs) => {
    const faults = guestFaults(guest, outputs);
    if (faults.length > 0)
      throw new pulumi.RunError(`The foundation of ${stack} has no room for this:\n  ${faults.join('\n  ')}`);
    return outputs;
  });
  const text = (...path: string[]) =>
    found.apply((outputs) => {
      const value = path.reduce<unknown>((part, key) => (part as Record<string, unknown> | undefined)?.[key], outputs);
      if (typeof value !== 'string')
        throw new pulumi.RunError(
          `The stack ${stack} gives out no foundation (${path.join('.')}): it must have "foundation: create" and be up.`,
        );
      return value;
    });
  return {
    vpcId: text('vpcId'),
    clusterName: text('clusterName'),
    kubeconfig: text('kubeconfig'),
    nodes: {
      'rooms-blue': text('nodes', 'rooms-blue'),
      'rooms-green': text('nodes', 'rooms-green'),
      general: text('nodes', 'general'),
    },
    balancer: {
      dnsName: text('balancer', 'dnsName'),
      zoneId: text('balancer', 'zoneId'),
      listenerArn: text('balancer', 'listenerArn'),
    },
    databaseAddress: text('databaseAddress'),
    cacheAddress: text('cacheAddress'),
    seats: { [slot]: seatOf((name) => text('seats', String(slot), name)) },
    guests: undefined,
    cidr: guest.aws.cidr,
  };
}

const seatOf = (kept: (name: keyof Seat) => pulumi.Output<string>): Seat => ({
  databasePassword: pulumi.secret(kept('databasePassword')),
  cachePassword: pulumi.secret(kept('cachePassword')),
});

/** What a guest declares beyond what the foundation was made for. */
export function guestFaults({ foundation, capacity, aws }: Guest, outputs: Record<string, unknown>): string[] {
  const guests = outputs.guests as GuestsPlan | undefined;
  if (guests === undefined) return ['It declares no guests: set parley:guests there, and run pulumi up.'];
  return [
    foundation.slot > guests.count && `parley:foundation.slot is ${foundation.slot}, and it has ${guests.count}.`,
    capacity.voice > guests.voice && `parley:capacity.voice is ${capacity.voice}, and each guest has ${guests.voice}.`,
    capacity.text > guests.text && `parley:capacity.text is ${capacity.text}, and each guest has ${guests.text}.`,
    aws.cidr !== outputs.cidr && `parley:aws.cidr is ${aws.cidr}, and its network has ${outputs.cidr}.`,
  ].filter((sentence) => sentence !== false);
}
