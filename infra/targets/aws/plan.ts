import { rolloutShare } from '../../plan/measured.ts';
import { shortened } from '../../plan/names.ts';
import type { Resources } from '../../plan/services.ts';
import type { TenantPlan } from '../../plan/tenant-plan.ts';
import type { Tenant } from '../../tenant.ts';

export type NodeGroupName = 'rooms' | 'agents' | 'general';

export interface NodeGroupPlan {
  instanceType: InstanceType;
  min: number;
  max: number;
}

export interface AwsPlan {
  /** Undefined: the network, cluster, database server and balancer of another stack. */
  foundation: FoundationPlan | undefined;
  /** Ports of every node where balancers find the API, the room servers' signalling and their TURN; a server that stops is behind none. */
  apiNodePort: number;
  roomsNodePort: number;
  turnNodePort: number;
  /** Of the listener's rules: rooms come before everything else of a host name. */
  rulePriority: { rooms: number; api: number };
  database: { name: string; role: string; adminRole: string };
  /** What may be as long as AWS lets it. */
  names: { apiTargets: string; roomTargets: string; turnTargets: string; podRole: string };
  /** On everything of AWS that takes tags. */
  tags: Readonly<Record<string, string>>;
}

export interface FoundationPlan {
  cidr: string;
  /** One of each a zone; private ones are large, as every pod takes an address. */
  publicCidrs: string[];
  privateCidrs: string[];
  /** One a zone, or one for all. */
  natGateways: number;
  nodeGroups: Record<NodeGroupName, NodeGroupPlan>;
  database: { instanceClass: DatabaseClass; multiAz: boolean };
  cache: { nodeType: CacheType; nodes: number };
  names: { cluster: string; database: string; cache: string; balancer: string; mediaBalancer: string };
}

export type InstanceType = 'c7i.large' | 'c7i.xlarge' | 'm7i.large';
export type DatabaseClass = 'db.t4g.medium' | 'db.m7g.large' | 'db.m7g.xlarge' | 'db.m7g.2xlarge' | 'db.m7g.4xlarge';
export type CacheType = 'cache.t4g.small';

/** What pods find on a node beside the system's own. */
const room = { 'c7i.xlarge': { cpuMilli: 3_500, memoryMib: 6_000 } };
/** Connections that each class has memory for, at 8 MiB each beside its cache. */
const databaseClasses: readonly { name: DatabaseClass; connections: number }[] = [
  { name: 'db.t4g.medium', connections: 250 },
  { name: 'db.m7g.large', connections: 600 },
  { name: 'db.m7g.xlarge', connections: 1_300 },
  { name: 'db.m7g.2xlarge', connections: 2_700 },
  { name: 'db.m7g.4xlarge', connections: 5_000 },
];
const zones = 3;

const firstNodePort = { api: 30_100, rooms: 30_200, turn: 30_300 };
const rulesASlot = 10;

/** What AWS allows for each kind of name. */
const longestName = { balancer: 32, cache: 40, database: 63, role: 64, cluster: 100 };

/** Tenants of one foundation have their servers on the same nodes: each slot has ports of its own. 0 is the foundation's. */
export const slotOf = ({ foundation }: Pick<Tenant, 'foundation'>): number =>
  foundation === 'create' ? 0 : foundation.slot;

export function planAws(plan: TenantPlan): AwsPlan {
  const { tenant } = plan;
  const { prefix } = plan.names;
  const slot = slotOf(tenant);
  const role = `parley_${tenant.slug.replaceAll('-', '_')}`;
  const own = tenant.foundation === 'create';
  return {
    foundation: own ? planFoundation(plan) : undefined,
    apiNodePort: firstNodePort.api + slot,
    roomsNodePort: firstNodePort.rooms + slot,
    turnNodePort: firstNodePort.turn + slot,
    rulePriority: { rooms: slot * rulesASlot + 1, api: slot * rulesASlot + 2 },
    database: { name: role, role, adminRole: `${role}_admin` },
    names: {
      apiTargets: shortened(`${prefix}-api`, longestName.balancer),
      roomTargets: shortened(`${prefix}-rooms`, longestName.balancer),
      turnTargets: shortened(`${prefix}-turn`, longestName.balancer),
      podRole: shortened(`${prefix}-pods`, longestName.role),
    },
    tags: { 'parley:tenant': tenant.slug },
  };
}

function planFoundation(plan: TenantPlan): FoundationPlan {
  const { names, redundant, rooms, database } = plan;
  const { aws } = plan.tenant;
  const { prefix } = names;
  return {
    cidr: aws.cidr,
    ...subnetsOf(aws.cidr),
    natGateways: redundant ? zones : 1,
    nodeGroups: {
      // One more than servers, for the tenants that share it and for a node that is replaced.
      rooms: { instanceType: 'c7i.large', min: rooms.replicas, max: rooms.replicas + 2 },
      agents: { instanceType: 'c7i.xlarge', ...agentNodes(plan) },
      general: { instanceType: 'm7i.large', min: redundant ? 3 : 2, max: 6 },
    },
    database: { instanceClass: databaseClass(database.maxConnections), multiAz: redundant },
    cache: { nodeType: 'cache.t4g.small', nodes: redundant ? 2 : 1 },
    names: {
      cluster: shortened(prefix, longestName.cluster),
      database: shortened(prefix, longestName.database),
      cache: shortened(prefix, longestName.cache),
      balancer: shortened(prefix, longestName.balancer),
      mediaBalancer: shortened(`${prefix}-turn`, longestName.balancer),
    },
  };
}

/** How many agent hosts a node of their group takes. */
export function agentPodsPerNode({ cpuMilli, memoryMib }: Resources): number {
  const node = room['c7i.xlarge'];
  return Math.max(1, Math.floor(Math.min(node.cpuMilli / cpuMilli, node.memoryMib / memoryMib)));
}

/** Public ranges are for balancers, gateways and the nodes of rooms; private ones for every other node, and for pods. */
export function subnetsOf(cidr: string): Pick<FoundationPlan, 'publicCidrs' | 'privateCidrs'> {
  const [network = ''] = /^\d+\.\d+/.exec(cidr) ?? [];
  const ofZones = (make: (zone: number) => string) => Array.from({ length: zones }, (_, zone) => make(zone));
  return {
    publicCidrs: ofZones((zone) => `${network}.${zone * 16}.0/20`),
    privateCidrs: ofZones((zone) => `${network}.${(zone + 1) * 64}.0/18`),
  };
}

function agentNodes({ agents, redundant }: TenantPlan): { min: number; max: number } {
  const podsPerNode = agentPodsPerNode(agents.resources);
  const atLeast = agents.minReplicas === 0 ? 0 : redundant ? 2 : 1;
  return {
    min: Math.max(atLeast, Math.ceil(agents.minReplicas / podsPerNode)),
    max: Math.max(atLeast, Math.ceil((agents.maxReplicas * rolloutShare + 1) / podsPerNode)) + 1,
  };
}

const databaseClass = (connections: number): DatabaseClass =>
  databaseClasses.find((one) => one.connections >= connections)?.name ?? 'db.m7g.4xlarge';
