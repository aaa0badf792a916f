import type { Tenant } from '../tenant.ts';
import type { AgentFleetPlan } from './agents.ts';
import { connections, rolloutShare } from './measured.ts';
import type { Resources } from './resources.ts';
import type { ServicePlan } from './services.ts';

/** What only the place knows. */
export interface DatabaseFacts {
  /** Such as `statefulset`, or `rds`. */
  kind: string;
  /** Whether the preparation makes the tenant's database and roles, on a server that others may use, too. */
  madeOnServer: boolean;
  /** Connections that servers there are made for, in steps: more capacity restarts one only where it outgrows its step. */
  sizes?: readonly number[];
  /** Tenants of other stacks whose databases it makes there, too; undefined where there are none. */
  guests?: { count: number; connections: number } | undefined;
}

export interface DatabasePlan extends Omit<DatabaseFacts, 'sizes'> {
  instances: number;
  storageGib: number;
  keepBackupsDays: number;
  maxConnections: number;
  resources: Resources;
}

interface Callers {
  api: ServicePlan;
  worker: ServicePlan;
  agents: AgentFleetPlan;
  redundant: boolean;
}

/** What a connection takes at most, and what it takes beside others that wait. */
const mibPerConnection = { most: 8, usual: 2 };
const mibAlone = 512;
/** From here on it is given a core. */
const largeFrom = 1_000;

export function planDatabase(
  { database }: Tenant,
  { sizes = [], ...facts }: DatabaseFacts,
  { api, worker, agents, redundant }: Callers,
): DatabasePlan {
  // A rollout has old and new pods at once.
  const ofTenant =
    2 * api.replicas * connections.api +
    2 * worker.replicas * connections.worker +
    Math.ceil(rolloutShare * agents.maxReplicas + 1) * connections.agent +
    connections.spare;
  const ofGuests = facts.guests === undefined ? 0 : facts.guests.count * facts.guests.connections;
  const wanted = ofTenant + ofGuests;
  const maxConnections = sizes.find((size) => size >= wanted) ?? wanted;
  return {
    ...facts,
    instances: redundant ? 2 : 1,
    storageGib: database.storageGib,
    keepBackupsDays: database.keepBackupsDays,
    maxConnections,
    resources: {
      cpuMilli: maxConnections >= largeFrom ? 1_000 : 250,
      cpuLimitMilli: 4_000,
      // Less than the limit on purpose, so that it is not "Guaranteed": most connections wait, and nodes of 4 GiB take the usual, not the
      // most. Where memory is short, a kubelet evicts first who is above their request, so that this one is usually not among them.
      memoryMib: mibAlone + maxConnections * mibPerConnection.usual,
      memoryLimitMib: mibAlone + maxConnections * mibPerConnection.most,
    },
  };
}
