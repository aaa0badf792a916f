/** Who may talk to whom. Everything else is refused, both ways. */
import type { TenantPlan } from '../plan.ts';
import { ports } from './addresses.ts';

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

/** Where nodes have their addresses: room servers and probes come from there. */
export const nodeRanges = ({ tenant }: TenantPlan): Peer[] =>
  (tenant.target === 'aws' ? [tenant.aws.cidr] : tenant.kubernetes.nodeCidrs).map((cidr) => ({ cidr }));

export function planTraffic(plan: TenantPlan): TrafficRule[] {
  const { tenant, rooms } = plan;
  const nodes = nodeRanges(plan);
  const monitoring: Peer = { namespace: tenant.monitoring.namespace };
  const doors: Peer[] = tenant.target === 'aws' ? nodes : [{ namespace: tenant.kubernetes.ingressNamespace }];
  const database = databaseFlow(plan);
  const cache: Flow[] = plan.cache
    ? [{ peers: tenant.target === 'aws' ? nodes : [{ app: 'cache' }], ports: tcp(ports.cache) }]
    : [];
  const signalling: Flow = { peers: nodes, ports: tcp(rooms.ports.signalling) };
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
        // Room events come from nodes; KEDA asks how many conversations there are.
        { peers: [...nodes, { namespace: 'keda' }, monitoring], ports: tcp(ports.apiInternal) },
      ],
      to: [database, ...cache, signalling, internet],
    },
    {
      app: 'worker',
      from: [
        {
          peers: [monitoring, ...(tenant.agents.pushSecret === undefined ? [] : doors)],
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
      ? [{ app: 'cache', from: [{ peers: [{ app: 'api' }, ...nodes], ports: tcp(ports.cache) }], to: [] }]
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

function databaseFlow(plan: TenantPlan): Flow {
  const { tenant, database } = plan;
  switch (database.kind) {
    case 'rds':
      return { peers: nodeRanges(plan), ports: tcp(ports.database) };
    case 'existing':
      return { peers: [{ cidr: anywhere }], ports: tcp(...portsOf([tenant.database.url, tenant.database.adminUrl])) };
    default:
      return { peers: [{ app: 'database' }], ports: tcp(ports.database) };
  }
}

const portsOf = (urls: readonly (string | undefined)[]): number[] => [
  ...new Set(urls.flatMap((url) => (url === undefined ? [] : [Number(new URL(url).port || ports.database)]))),
];
