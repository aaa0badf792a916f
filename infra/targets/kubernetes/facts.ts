import { ports } from '../../plan/addresses.ts';
import type { Facts } from '../../plan/facts.ts';
import { addresses, type Flow, type Places, tcp } from '../../plan/traffic.ts';
import type { Tenant } from '../../tenant.ts';
import { serverSizes } from './server-sizes.ts';

/** A cluster that is there: its nodes are where its owner says, and everything else of the tenant is in it. */
export function facts(tenant: Tenant): Facts {
  const { kubernetes, database } = tenant;
  return {
    agents: { nodes: {} },
    rooms: {
      slot: 0,
      offersTurn: false,
      address: kubernetes.roomAddress,
      nodes: kubernetes.roomNodes,
      holdsNode: false,
      taints: [],
    },
    database: {
      kind: database.kind ?? 'statefulset',
      madeOnServer: false,
      ...(database.kind !== 'existing' && { sizes: serverSizes }),
    },
    places: placesOf(tenant),
  };
}

function placesOf({ kubernetes, database }: Tenant): Places {
  return {
    rooms: addresses(kubernetes.nodeCidrs ?? []),
    doors: [{ namespace: kubernetes.ingressNamespace }],
    database: database.kind === 'existing' ? existing(database) : inCluster,
    databaseRunsAs: runsAs[database.kind ?? 'statefulset'],
    cache: [{ app: 'cache' }],
    hasSolvers: kubernetes.certificateIssuer !== undefined,
  };
}

const runsAs = { statefulset: 'pods', cloudnativepg: 'operator', existing: undefined } as const;

const inCluster: Flow = { peers: [{ app: 'database' }], ports: tcp(ports.database) };

/** Its name may lead anywhere, so only its ports are known. */
const existing = ({ url, adminUrl }: Tenant['database']): Flow => ({
  peers: addresses(['0.0.0.0/0']),
  ports: tcp(...new Set([url, adminUrl].flatMap((one) => (one === undefined ? [] : [portOf(one)])))),
});

const portOf = (url: string): number => Number(new URL(url).port || ports.database);
