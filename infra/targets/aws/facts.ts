import { ports } from '../../plan/addresses.ts';
import type { Facts } from '../../plan/facts.ts';
import { addresses, tcp } from '../../plan/traffic.ts';
import type { Tenant } from '../../tenant.ts';
import { roomNodes } from '../../versions.ts';
import { planGuests } from './guests.ts';
import { roomLabels, slotOf, subnetsOf } from './plan.ts';

/** EKS: groups of nodes with labels of ours, room servers on public subnets, database and cache on private ones. */
export function facts(tenant: Tenant): Facts {
  const { aws, foundation } = tenant;
  const { publicCidrs, privateCidrs } = subnetsOf(aws.cidr);
  const servers = addresses(privateCidrs);
  return {
    agents: { nodes: { 'parley.dev/nodes': 'agents' } },
    rooms: {
      slot: slotOf(tenant),
      // TURN over TLS takes a balancer of its own, which a foundation has and its guests have not.
      offersTurn: foundation === 'create',
      address: 'discovered',
      nodes: roomLabels(roomNodes.active),
      holdsNode: true,
      taints: [{ key: 'parley.dev/nodes', value: 'rooms' }],
    },
    // A guest's is made by its foundation.
    database: { kind: 'rds', madeOnServer: foundation === 'create', guests: planGuests(tenant) },
    places: {
      rooms: addresses(publicCidrs),
      doors: addresses([aws.cidr]),
      database: { peers: servers, ports: tcp(ports.database) },
      databaseRunsAs: undefined,
      cache: servers,
      hasSolvers: false,
    },
  };
}
