/** Who may talk to whom. Everything else is refused, both ways. */
import type { Tenant } from '../tenant.ts';
import { ports } from './addresses.ts';
import type { RoomServerPlan } from './rooms.ts';
import { signedPaths } from './services.ts';

export type Peer =
  | { app: string }
  | { namespace: string }
  /** Addresses; without those in `except`. */
  | { cidr: string; except?: string[] };

export interface Flow {
  peers: Peer[];
  /** Undefined: any port. */
  ports: { port: number; protocol: 'TCP' | 'UDP' }[] | undefined;
}

export interface TrafficRule {
  /** Which pods, by their name. */
  app: string;
  from: Flow[];
  to: Flow[];
}

const privateRanges = ['10.0.0.0/8', '100.64.0.0/10', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'];
const anywhere = '0.0.0.0/0';

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
}

/** What traffic follows from. */
export interface TrafficBasis {
  tenant: Tenant;
  rooms: RoomServerPlan;
  cache: object | undefined;
}

export const addresses = (cidrs: readonly string[]): Peer[] => cidrs.map((cidr) => ({ cidr }));

const isPod = (peers: readonly Peer[], app: string) => peers.some((peer) => 'app' in peer && peer.app === app);

export function planTraffic(plan: TrafficBasis, places: Places): TrafficRule[] {
  const { tenant, rooms } = plan;
  const { rooms: roomNodes, doors, database } = places;
  const monitoring: Peer = { namespace: tenant.monitoring.namespace };
  const cache: Flow[] = plan.cache ? [{ peers: places.cache, ports: tcp(ports.cache) }] : [];
  const signalling: Flow = { peers: roomNodes, ports: tcp(rooms.ports.signalling) };
  // A room server may tell agents a public address of its own node.
  const media: Flow = {
    peers: [{ cidr: anywhere }],
    ports: [...tcp(rooms.ports.mediaTcp), { port: rooms.ports.mediaUdp, protocol: 'UDP' }],
  };
  const internet: Flow = { peers: [{ cidr: anywhere, except: privateRanges }], ports: undefined };
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
      to: [database, ...cache, signalling, internet],
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
  ];
}
