import { changedBy, type Part, type Way } from '../../changes/part.ts';
import { renewed } from '../../changes/secret-basis.ts';
import { type PartFolders, workloadParts } from '../../changes/workloads.ts';
import { longestSeconds } from '../../plan/rooms.ts';
import type { TenantPlan } from '../../plan/tenant-plan.ts';
import { engines, roomNodes } from '../../versions.ts';
import type { AwsPlan, FoundationPlan, NodeGroupName } from './plan.ts';

/** A guest's own parts are what runs in the cluster; the rest is its foundation's. */
export const partsOf = (plan: TenantPlan, aws: AwsPlan, folders: PartFolders): Part[] => [
  ...(aws.foundation ? foundationParts(plan, aws.foundation) : []),
  ...workloadParts(plan, folders),
  {
    name: 'certificate',
    what: 'the certificate',
    load: { kind: 'nothing' },
    // Another one is issued before the one that is in use goes.
    from: changedBy('in place', { names: [plan.tenant.domain, plan.addresses.turnHost] }),
  },
];

/** What a managed group gives the pods of a node that it replaces. (https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html) */
const drainSeconds = 900;

function foundationParts(plan: TenantPlan, foundation: FoundationPlan): Part[] {
  const groups: NodeGroupName[] = ['rooms-blue', 'rooms-green', 'agents', 'general'];
  return [
    {
      name: 'cluster',
      what: "the cluster's control plane",
      load: { kind: 'nothing' },
      from: changedBy('in place', { version: foundation.kubernetesVersion }),
    },
    ...groups.map((group) => nodesOf(plan, foundation, group)),
    {
      name: 'add-ons',
      what: 'add-ons',
      load: { kind: 'nothing' },
      from: changedBy('rolls', { versions: foundation.versions.addOns, autoscaler: foundation.versions.autoscaler }),
    },
    databaseOf(plan, foundation),
    cacheOf(plan, foundation),
    ...guestsOf(foundation),
  ];
}

/** Pods of a node leave before it does, as far as they are given the time. */
function nodesOf(plan: TenantPlan, { nodeGroups }: FoundationPlan, group: NodeGroupName): Part {
  const { instanceType, image } = nodeGroups[group];
  return {
    name: `nodes-${group}`,
    what: `nodes for ${nodeNames[group]}`,
    load: loadOf(plan, group),
    from: changedBy('one by one', { type: instanceType, image }),
  };
}

const nodeNames: Readonly<Record<NodeGroupName, string>> = {
  'rooms-blue': 'rooms (blue)',
  'rooms-green': 'rooms (green)',
  agents: 'agent hosts',
  general: 'everything else',
};

function loadOf({ rooms, agents, api, worker, tenant }: TenantPlan, group: NodeGroupName): Part['load'] {
  if (group === 'agents') return { kind: 'pods', neededSeconds: agents.graceSeconds, graceSeconds: drainSeconds };
  if (group === 'general') {
    const neededSeconds = Math.max(api.graceSeconds, worker.graceSeconds);
    return { kind: 'pods', neededSeconds, graceSeconds: drainSeconds };
  }
  if (group !== `rooms-${roomNodes.active}`) return { kind: 'nothing' };
  if (!rooms.waitsForConversations) return { kind: 'made again' };
  return { kind: 'pods', neededSeconds: longestSeconds(tenant), graceSeconds: drainSeconds };
}

function databaseOf({ tenant, database }: TenantPlan, foundation: FoundationPlan): Part {
  const { instanceClass, connections, multiAz } = foundation.database;
  const way: Way = multiAz ? 'fails over' : 'restarts';
  return {
    name: 'database',
    what: 'the database server',
    load: { kind: 'data' },
    from: {
      ...changedBy(way, { class: instanceClass, connections }),
      // A major version is raised while nobody is connected, standby or not.
      ...changedBy('restarts', { version: engines.postgres.version }),
      ...changedBy('in place', { standby: multiAz, storage: database.storageGib, backups: database.keepBackupsDays }),
      ...changedBy('in place', renewed(tenant.rotation.serverPassword)),
      ...changedBy('is made anew', { 'data restored': tenant.database.restoreFrom, name: foundation.names.database }),
    },
  };
}

function cacheOf({ tenant: { rotation } }: TenantPlan, { cache, names }: FoundationPlan): Part {
  const { nodes, ...made } = cache;
  return {
    name: 'cache',
    what: 'the cache',
    load: { kind: 'notes' },
    from: {
      ...changedBy(nodes > 1 ? 'fails over' : 'restarts', { ...made, version: engines.valkey.version }),
      ...changedBy('in place', { nodes, ...renewed(rotation.cachePassword + rotation.guestPasswords - 1) }),
      ...changedBy('is made anew', { name: names.cache }),
    },
  };
}

const guestsOf = ({ guests }: FoundationPlan): Part[] =>
  guests === undefined
    ? []
    : [
        {
          name: 'guests',
          what: 'room for guests',
          replicas: guests.count,
          load: { kind: 'guests' },
          from: changedBy('in place', { size: [guests.voice, guests.text] }),
        },
      ];
