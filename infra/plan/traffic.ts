/** Who may talk to whom. Everything else is refused, both ways. */
import type { TenantPlan } from '../plan.ts';
import { ports } from './addresses.ts';
import { subnetsOf } from './aws.ts';
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

const tcp = (...numbers: number[]) => numbers.map((port) => ({ port, protocol: 'TCP' as const }));

interface Places {
  /** Nodes of room servers, which have the addresses of their nodes. */
  rooms: Peer[];
  /** Where requests from outside come from. */
  doors: Peer[];
  /** Database servers and caches outside of the cluster. */
  servers: Peer[];
}

const ranges = (cidrs: readonly string[]): Peer[] => cidrs.map((cidr) => ({ cidr }));

function placesOf({ tenant: { target, aws, kubernetes } }: TenantPlan): Places {
  if (target === 'kubernetes') {
    const nodes = ranges(kubernetes.nodeCidrs);
    return { rooms: nodes, doors: [{ namespace: kubernetes.ingressNamespace }], servers: nodes };
  }
  const { publicCidrs, privateCidrs } = subnetsOf(aws.cidr);
  return { rooms: ranges(publicCidrs), doors: ranges([aws.cidr]), servers: ranges(privateCidrs) };
}

export function planTraffic(plan: TenantPlan): TrafficRule[] {
  const { tenant, rooms } = plan;
  const { rooms: roomNodes, doors, servers } = placesOf(plan);
  const monitoring: Peer = { namespace: tenant.monitoring.namespace };
  const database = databaseFlow(plan, servers);
  const cache: Flow[] = plan.cache
    ? [{ peers: tenant.target === 'aws' ? servers : [{ app: 'cache' }], ports: tcp(ports.cache) }]
    : [];
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
    ...(plan.cache && tenant.target === 'kubernetes'
      ? [{ app: 'cache', from: [{ peers: [{ app: 'api' }, ...roomNodes], ports: tcp(ports.cache) }], to: [] }]
      : []),
    ...(plan.database.kind === 'statefulset'
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

function databaseFlow(plan: TenantPlan, servers: Peer[]): Flow {
  const { tenant, database } = plan;
  switch (database.kind) {
    case 'rds':
      return { peers: servers, ports: tcp(ports.database) };
    case 'existing':
      return { peers: [{ cidr: anywhere }], ports: tcp(...portsOf([tenant.database.url, tenant.database.adminUrl])) };
    default:
      return { peers: [{ app: 'database' }], ports: tcp(ports.database) };
  }
}

const portsOf = (urls: readonly (string | undefined)[]): number[] => [
  ...new Set(urls.flatMap((url) => (url === undefined ? [] : [Number(new URL(url).port || ports.database)]))),
];
