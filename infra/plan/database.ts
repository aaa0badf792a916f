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
  /** Tenants of other stacks whose databases it makes there, too; undefined where there are none. */
  guests?: { count: number; connections: number } | undefined;
}

export interface DatabasePlan extends DatabaseFacts {
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

const mibPerConnection = 8;

export function planDatabase(
  { database }: Tenant,
  facts: DatabaseFacts,
  { api, worker, agents, redundant }: Callers,
): DatabasePlan {
  // A rollout has old and new pods at once.
  const ofTenant =
    2 * api.replicas * connections.api +
    2 * worker.replicas * connections.worker +
    Math.ceil(rolloutShare * agents.maxReplicas + 1) * connections.agent +
    connections.spare;
  const ofGuests = facts.guests === undefined ? 0 : facts.guests.count * facts.guests.connections;
  const memoryMib = 512 + ofTenant * mibPerConnection;
  return {
    ...facts,
    instances: redundant ? 2 : 1,
    storageGib: database.storageGib,
    keepBackupsDays: database.keepBackupsDays,
    maxConnections: ofTenant + ofGuests,
    resources: { cpuMilli: redundant ? 1_000 : 250, cpuLimitMilli: 4_000, memoryMib, memoryLimitMib: memoryMib },
  };
}
