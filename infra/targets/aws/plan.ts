import { createHash } from 'node:crypto';
import { loginOf } from '../../../services/settings/database-login.ts';
import { shortened } from '../../plan/names.ts';
import type { Resources } from '../../plan/resources.ts';
import type { TenantPlan } from '../../plan/tenant-plan.ts';
import type { Variables } from '../../plan/variables.ts';
import { Refusal } from '../../refusal.ts';
import type { Tenant } from '../../tenant.ts';
import { type ClusterVersions, clusters, type NodeImage, type RoomColour, roomNodes } from '../../versions.ts';
import { type GuestsPlan, planGuests } from './guests.ts';

export type NodeGroupName = 'rooms-blue' | 'rooms-green' | 'agents' | 'general';

export interface NodeGroupPlan {
  instanceType: InstanceType;
  image: NodeImage;
  labels: Readonly<Record<string, string>>;
  /** Whether clients reach its nodes directly. */
  isPublic: boolean;
  /** Nodes while nobody talks; the group begins with so many, and then the autoscaler decides. */
  idle: number;
  /** The same whatever the capacity, so that no number of nodes is ever outside of them: AWS refuses such a change. */
  least: number;
  most: number;
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
  database: { name: string; login: string; adminRole: string };
  slot: number;
  /** What may be as long as AWS lets it. */
  names: {
    apiTargets: string;
    roomTargets: string;
    turnTargets: string;
    phoneTargets: string;
    podRoles: Record<keyof Variables, string>;
  };
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
  kubernetesVersion: string;
  versions: ClusterVersions;
  nodeGroups: Record<NodeGroupName, NodeGroupPlan>;
  /** It takes the connections of its class: one setting for all of them, so that it starts anew with another class only. */
  database: { instanceClass: DatabaseClass; connections: number; multiAz: boolean };
  cache: { nodeType: CacheType; nodes: number };
  guests: GuestsPlan | undefined;
  names: {
    cluster: string;
    database: string;
    cache: string;
    cacheUsers: string;
    balancer: string;
    mediaBalancer: string;
    phoneBalancer: string;
  };
}

export type InstanceType = 'c7i.large' | 'c7i.xlarge' | 'm7i.large';
export type DatabaseClass =
  | 'db.t4g.medium'
  | 'db.m7g.large'
  | 'db.m7g.xlarge'
  | 'db.m7g.2xlarge'
  | 'db.m7g.4xlarge'
  | 'db.m7g.8xlarge';
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
  { name: 'db.m7g.8xlarge', connections: 10_000 },
];
const zones = 3;
/** As many as a group of EKS may have: pods decide how many there are, and plans how many pods. */
const mostNodes = 450;

const firstNodePort = { api: 30_100, rooms: 30_200, turn: 30_300 };
const rulesASlot = 10;

/** What AWS allows for each kind of name. */
const longestName = { balancer: 32, cache: 40, database: 63, role: 64, cluster: 100 };

/** Tenants of one foundation have their servers on the same nodes: each slot has ports of its own. 0 is the foundation's. */
export const slotOf = ({ foundation }: Pick<Tenant, 'foundation'>): number =>
  foundation === 'create' ? 0 : foundation.slot;

/** Its database has the same name. */
export const guestRole = (slot: number | string): string => `guest_${slot}`;
export const adminOf = (role: string): string => `${role}_admin`;
/** Of the cache. */
export const cacheUserOf = (slot: number | string): string => `slot-${slot}`;

export function planAws(plan: TenantPlan): AwsPlan {
  const { tenant } = plan;
  const { prefix } = plan.names;
  const slot = slotOf(tenant);
  // No tenant's slug makes a name like a guest's.
  const role = slot === 0 ? `parley_${tenant.slug.replaceAll('-', '_')}` : guestRole(slot);
  const own = tenant.foundation === 'create';
  const podRole = (process: keyof Variables) => shortened(`${prefix}-${process}`, longestName.role);
  return {
    foundation: own ? planFoundation(plan) : undefined,
    apiNodePort: firstNodePort.api + slot,
    roomsNodePort: firstNodePort.rooms + slot,
    turnNodePort: firstNodePort.turn + slot,
    rulePriority: { rooms: slot * rulesASlot + 1, api: slot * rulesASlot + 2 },
    database: {
      name: role,
      login: loginOf({ role, generation: tenant.rotation.databasePassword }),
      adminRole: adminOf(role),
    },
    slot,
    names: {
      apiTargets: shortened(`${prefix}-api`, longestName.balancer),
      roomTargets: shortened(`${prefix}-rooms`, longestName.balancer),
      turnTargets: shortened(`${prefix}-turn`, longestName.balancer),
      phoneTargets: shortened(`${prefix}-phone`, longestName.balancer),
      podRoles: {
        api: podRole('api'),
        worker: podRole('worker'),
        agent: podRole('agent'),
        prepare: podRole('prepare'),
      },
    },
    tags: { 'parley:tenant': tenant.slug },
  };
}

function planFoundation(plan: TenantPlan): FoundationPlan {
  const { names, redundant, rooms, phone } = plan;
  const { aws } = plan.tenant;
  const { prefix } = names;
  const versions = versionsOf(aws.kubernetesVersion);
  // One of each a node, beside each other.
  const onNodesOfRooms = Math.max(rooms.replicas, phone?.replicas ?? 0);
  return {
    cidr: aws.cidr,
    ...subnetsOf(aws.cidr),
    natGateways: redundant ? zones : 1,
    kubernetesVersion: aws.kubernetesVersion,
    versions,
    nodeGroups: {
      'rooms-blue': roomGroup('blue', onNodesOfRooms),
      'rooms-green': roomGroup('green', onNodesOfRooms),
      agents: {
        ...{ instanceType: 'c7i.xlarge', image: versions.nodes, labels: labelsOf('agents'), isPublic: false },
        ...{ idle: agentNodes(plan), least: 0, most: mostNodes },
      },
      general: {
        ...{ instanceType: 'm7i.large', image: versions.nodes, labels: labelsOf('general'), isPublic: false },
        ...{ idle: redundant ? 3 : 2, least: 2, most: mostNodes },
      },
    },
    database: { ...databaseFor(plan), multiAz: redundant },
    cache: { nodeType: 'cache.t4g.small', nodes: redundant ? 2 : 1 },
    guests: planGuests(plan.tenant),
    names: {
      cluster: shortened(prefix, longestName.cluster),
      database: shortened(databaseName(prefix, plan.tenant.database), longestName.database - '-final-01234567'.length),
      cache: shortened(prefix, longestName.cache),
      cacheUsers: shortened(prefix, longestName.cache - '-25'.length),
      balancer: shortened(prefix, longestName.balancer),
      mediaBalancer: shortened(`${prefix}-turn`, longestName.balancer),
      phoneBalancer: shortened(`${prefix}-phone`, longestName.balancer),
    },
  };
}

/** @throws Refusal for a version that infra/versions.ts has no row for */
function versionsOf(kubernetesVersion: string): ClusterVersions {
  const found = clusters[kubernetesVersion];
  if (found) return found;
  const known = Object.keys(clusters).join(', ');
  throw new Refusal(
    `parley:aws.kubernetesVersion: infra/versions.ts has ${known}, and no ${kubernetesVersion}: docs/operate/versions.md says how to add it.`,
  );
}

/** A database that is restored is another one beside the one that it takes the place of. */
function databaseName(prefix: string, { restoreFrom }: Tenant['database']): string {
  if (restoreFrom === undefined) return prefix;
  return `${prefix}-${createHash('sha256').update(JSON.stringify(restoreFrom)).digest('hex').slice(0, 6)}`;
}

const labelsOf = (group: 'agents' | 'general') => ({ 'parley.dev/nodes': group });

/** Nobody is on the nodes of the other colour, or only calls that began there. */
const roomGroup = (colour: RoomColour, servers: number): NodeGroupPlan => ({
  ...{ instanceType: 'c7i.large', image: roomNodes[colour], labels: roomLabels(colour), isPublic: true },
  ...{ idle: colour === roomNodes.active ? servers : 0, least: 0, most: mostNodes },
});

/** Of nodes for rooms; servers run on those of one colour. */
export const roomLabels = (colour: RoomColour) => ({ 'parley.dev/nodes': 'rooms', 'parley.dev/rooms': colour });

/** @throws Refusal where somebody would find no connection, whatever the class of the database */
function databaseFor({ tenant, database: { maxConnections } }: TenantPlan) {
  const found = databaseClasses.find(({ connections }) => connections >= maxConnections);
  if (found) return { instanceClass: found.name, connections: found.connections };
  const [who, todo] =
    tenant.guests === undefined
      ? ['parley:capacity: this tenant takes', 'declare less, or make it several tenants']
      : ['parley:guests: this tenant and its guests take', 'declare fewer or smaller guests'];
  throw new Refusal(
    `${who} ${maxConnections} connections to the database, and the largest class has ${databaseClasses.at(-1)?.connections}: ${todo}.`,
  );
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

function agentNodes({ agents, redundant }: TenantPlan): number {
  const atLeast = agents.minReplicas === 0 ? 0 : redundant ? 2 : 1;
  return Math.max(atLeast, Math.ceil(agents.minReplicas / agentPodsPerNode(agents.resources)));
}
