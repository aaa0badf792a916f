/** The parts of a tenant that run on any cluster. Pure. */

import { handoverSeconds } from '../../services/contract/handover.ts';
import type { Folders } from '../folders.ts';
import { longestSeconds } from '../plan/rooms.ts';
import type { TenantPlan } from '../plan/tenant-plan.ts';
import { changedBy, type Part } from './part.ts';
import { renewed, secretsReadBy } from './secret-basis.ts';

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

function preparationOf({ tenant, variables }: TenantPlan): Part {
  const from = {
    image: tenant.images.services,
    settings: variables.prepare,
    secrets: secretsReadBy(tenant, variables.prepare),
  };
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
      ...(cache && renewed(tenant.rotation.cachePassword)),
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
    secrets: secretsReadBy(tenant, variables.api),
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
      secrets: secretsReadBy(tenant, variables.worker),
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
      secrets: secretsReadBy(tenant, variables.agent),
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
          ...renewed(tenant.rotation.cachePassword),
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
