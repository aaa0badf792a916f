/** Who may talk to whom. Everything else is refused, both ways. */
import type { Tenant } from '../tenant.ts';
import { ports } from './addresses.ts';
import type { Names } from './names.ts';
import type { PhonePlan } from './phone.ts';
import type { RoomServerPlan } from './rooms.ts';
import { signedPaths } from './services.ts';

export type Peer =
  | { app: string }
  | { namespace: string }
  /** Addresses. Never all but some of them: AWS's VPC CNI refuses the exceptions to other rules, too. */
  | { cidr: string };

export interface Flow {
  peers: Peer[];
  /** Undefined: any port. */
  ports: { port: number; protocol: 'TCP' | 'UDP' }[] | undefined;
}

export interface TrafficRule {
  /** Which pods, by their name. */
  app: string;
  /** Of pods that are not ours: what they are told by instead. */
  labels?: Readonly<Record<string, string>>;
  from: Flow[];
  to: Flow[];
}

const privateRanges = ['10.0.0.0/8', '100.64.0.0/10', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'];

const addressBits = 32;

const numberOf = (address: string): number => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
const addressOf = (number: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');

/** The ranges that make up `network`/`length` without those in `except`. */
export function rangesWithout(except: readonly string[], network = 0, length = 0): string[] {
  const size = 2 ** (addressBits - length);
  const touching = except.filter((cidr) => {
    const [first = '', bits] = cidr.split('/');
    const start = numberOf(first);
    return start < network + size && network < start + 2 ** (addressBits - Number(bits));
  });
  if (touching.length === 0) return [`${addressOf(network)}/${length}`];
  if (touching.some((cidr) => Number(cidr.split('/')[1]) <= length)) return [];
  return [network, network + size / 2].flatMap((half) => rangesWithout(touching, half, length + 1));
}

const publicRanges = rangesWithout(privateRanges);

export const tcp = (...numbers: number[]) => numbers.map((port) => ({ port, protocol: 'TCP' as const }));

/** What only the place knows of the network. */
export interface Places {
  /** Nodes of room servers, which have the addresses of their nodes. */
  rooms: Peer[];
  /** Where requests from outside come from. */
  doors: Peer[];
  database: Flow;
  /** Pods of ours, or of an operator's; undefined where it is outside of the cluster. */
  databaseRunsAs: 'pods' | 'operator' | undefined;
  cache: Peer[];
  /** Whether certificates are asked for by pods beside ours, which answer to whoever comes through a door. */
  hasSolvers: boolean;
}

/** What traffic follows from. */
export interface TrafficBasis {
  tenant: Tenant;
  names: Names;
  rooms: RoomServerPlan;
  phone: PhonePlan | undefined;
  cache: object | undefined;
}

export const addresses = (cidrs: readonly string[]): Peer[] => cidrs.map((cidr) => ({ cidr }));

/** cert-manager answers a challenge of HTTP-01 by a pod in the namespace of the Ingress, with this label, at this port. */
const solver = { app: 'certificate-solver', labels: { 'acme.cert-manager.io/http01-solver': 'true' } };
const solverPort = 8_089;

const isPod = (peers: readonly Peer[], app: string) => peers.some((peer) => 'app' in peer && peer.app === app);

export function planTraffic(plan: TrafficBasis, places: Places): TrafficRule[] {
  const { tenant, rooms } = plan;
  const { rooms: roomNodes, doors, database } = places;
  const monitoring: Peer = { namespace: tenant.monitoring.namespace };
  const cache: Flow[] = plan.cache ? [{ peers: places.cache, ports: tcp(ports.cache) }] : [];
  // By the Service, whose address only a selector means to the VPC CNI, and by its nodes, whose addresses only ranges mean to others.
  const signalling: Flow = {
    peers: [{ namespace: plan.names.roomsNamespace }, ...roomNodes],
    ports: tcp(rooms.ports.signalling),
  };
  // A room server that tells agents a public address, too, is on the internet.
  const media: Flow = {
    peers: roomNodes,
    ports: [...tcp(rooms.ports.mediaTcp), { port: rooms.ports.mediaUdp, protocol: 'UDP' }],
  };
  // The API asks a bridge that fell silent whether it lives (docs/decisions/0032); bridges are where room servers are.
  const bridges: Flow[] = plan.phone ? [{ peers: roomNodes, ports: tcp(plan.phone.ports.health) }] : [];
  const internet: Flow = { peers: addresses(publicRanges), ports: undefined };
  const own: Flow[] =
    tenant.network.mayReach.length === 0
      ? []
      : [{ peers: tenant.network.mayReach.map((cidr) => ({ cidr })), ports: undefined }];
  return [
    {
      app: 'api',
      from: [
        { peers: doors, ports: tcp(ports.api) },
        // Room events come from the servers' nodes; KEDA asks how many conversations there are.
        { peers: [...roomNodes, { namespace: 'keda' }, monitoring], ports: tcp(ports.apiInternal) },
      ],
      // An identity provider, or who takes our mail, may be in a network of the operator's own.
      to: [database, ...cache, signalling, ...bridges, internet, ...((tenant.signIn ?? tenant.mail) ? own : [])],
    },
    {
      app: 'worker',
      from: [
        {
          peers: [monitoring, ...(signedPaths(tenant).length === 0 ? [] : doors)],
          ports: tcp(ports.workerInternal),
        },
      ],
      to: [database, signalling, internet, ...own],
    },
    {
      app: 'agent',
      from: [{ peers: [monitoring], ports: tcp(ports.agentInternal) }],
      to: [database, signalling, media, internet, ...own],
    },
    { app: 'prepare', from: [], to: [database] },
    ...(plan.cache && isPod(places.cache, 'cache')
      ? [{ app: 'cache', from: [{ peers: [{ app: 'api' }, ...roomNodes], ports: tcp(ports.cache) }], to: [] }]
      : []),
    ...(places.databaseRunsAs === 'pods'
      ? [
          {
            app: 'database',
            from: [
              {
                peers: ['api', 'worker', 'agent', 'prepare', 'database-backup'].map((app) => ({ app })),
                ports: tcp(ports.database),
              },
            ],
            to: [],
          },
          { app: 'database-backup', from: [], to: [database] },
        ]
      : []),
    ...(places.hasSolvers ? [{ ...solver, from: [{ peers: doors, ports: tcp(solverPort) }], to: [] }] : []),
  ];
}
