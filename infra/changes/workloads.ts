/** The parts of a tenant that run on any cluster. Pure. */

import { handoverSeconds } from '../../services/contract/handover.ts';
import type { Folders } from '../folders.ts';
import { longestSeconds } from '../plan/rooms.ts';
import type { TenantPlan } from '../plan/tenant-plan.ts';
import type { Tenant } from '../tenant.ts';
import { changedBy, type Part } from './part.ts';

/** What comes with the stack as files, where it makes pods start anew. */
export type PartFolders = Pick<Folders, 'agents' | 'policies' | 'databaseCertificate'>;

export const workloadParts = (plan: TenantPlan, folders: PartFolders): Part[] => [
  preparationOf(plan),
  roomsOf(plan),
  apiOf(plan),
  workerOf(plan, folders),
  agentsOf(plan),
  ...bridgesOf(plan),
];

const filesOf = (folder: ReadonlyMap<string, string> | undefined) => folder && [...folder].sort();

/** All that is secret has one version: each process that reads any of it starts anew. */
const secretsOf = ({ secrets, database, keys, rotation }: Tenant) => [
  ...[secrets, database.url, database.adminUrl, keys],
  ...[rotation.databasePassword, rotation.roomKeys, rotation.roomKeyInUse],
];

function preparationOf({ tenant, variables }: TenantPlan): Part {
  const from = { image: tenant.images.services, settings: variables.prepare, secrets: secretsOf(tenant) };
  return {
    name: 'prepare',
    what: 'the job that prepares the database',
    load: { kind: 'work' },
    from: changedBy('runs', from),
  };
}

function roomsOf({ tenant, rooms, addresses, cache }: TenantPlan): Part {
  const { replicas, waitsForConversations, graceSeconds, ...made } = rooms;
  return {
    name: 'rooms',
    what: replicas === 1 ? 'the room server' : 'room servers',
    replicas,
    load: waitsForConversations
      ? { kind: 'waited for', neededSeconds: longestSeconds(tenant), graceSeconds }
      : { kind: 'made again' },
    from: changedBy(waitsForConversations ? 'one by one' : 'restarts', {
      version: tenant.images.roomServer,
      keys: [tenant.rotation.roomKeys, tenant.rotation.roomKeyInUse],
      settings: [made.ports, made.address, addresses.turnHost, addresses.roomEventsUrl, cache],
      nodes: [made.nodes, made.taints, made.holdsNode],
      size: made.resources,
      grace: [graceSeconds, made.preStopSeconds],
    }),
  };
}

function apiOf({ tenant, api, variables }: TenantPlan): Part {
  const { replicas, resources, ...grace } = api;
  const from = {
    image: tenant.images.services,
    settings: variables.api,
    secrets: secretsOf(tenant),
    size: resources,
    grace,
  };
  return { name: 'api', what: 'the API', replicas, load: { kind: 'requests' }, from: changedBy('rolls', from) };
}

function workerOf(
  { tenant, worker, variables }: TenantPlan,
  { agents, policies, databaseCertificate }: PartFolders,
): Part {
  const { replicas, resources, ...grace } = worker;
  return {
    name: 'worker',
    what: 'the worker',
    replicas,
    load: { kind: 'work' },
    from: changedBy('rolls', {
      image: tenant.images.services,
      settings: variables.worker,
      secrets: secretsOf(tenant),
      size: resources,
      grace,
      agents: [filesOf(agents), filesOf(policies), tenant.agents.sshKnownHosts],
      certificate: databaseCertificate,
    }),
  };
}

function agentsOf({ tenant, agents, variables }: TenantPlan): Part {
  const { graceSeconds, sessionsPerPod, resources, nodes, fixedReplicas } = agents;
  return {
    name: 'agent',
    what: 'agent hosts',
    replicas: fixedReplicas,
    load: { kind: 'handed over', neededSeconds: handoverSeconds(sessionsPerPod), graceSeconds },
    from: changedBy('rolls', {
      image: tenant.images.services,
      settings: variables.agent,
      secrets: secretsOf(tenant),
      size: resources,
      nodes,
      grace: graceSeconds,
    }),
  };
}

function bridgesOf({ tenant, phone, addresses, cache }: TenantPlan): Part[] {
  if (phone === undefined) return [];
  const { replicas, graceSeconds, carriers, media, ...made } = phone;
  return [
    {
      name: 'phone',
      what: replicas === 1 ? 'the SIP bridge' : 'SIP bridges',
      replicas,
      load: { kind: 'calls', neededSeconds: longestSeconds(tenant), graceSeconds, alone: replicas === 1 },
      from: {
        ...changedBy('one by one', {
          version: tenant.images.sipBridge,
          keys: tenant.rotation.roomKeyInUse,
          settings: [made.ports, made.address, made.localNetwork, made.callsPerBridge, addresses.bridgeDoorUrl, cache],
          nodes: [made.nodes, made.taints, made.holdsNode],
          size: made.resources,
          grace: graceSeconds,
        }),
        ...changedBy('in place', { carriers: [carriers, media] }),
      },
    },
  ];
}
