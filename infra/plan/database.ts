import type { Tenant } from '../tenant.ts';
import type { AgentFleetPlan } from './agents.ts';
import { connections, rolloutShare } from './measured.ts';
import type { Resources, ServicePlan } from './services.ts';

/** What only the place knows. */
export interface DatabaseFacts {
  /** Such as `statefulset`, or `rds`. */
  kind: string;
  /** Whether the preparation makes the tenant's database and roles, on a server that others may use, too. */
  madeOnServer: boolean;
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
  const maxConnections =
    2 * api.replicas * connections.api +
    2 * worker.replicas * connections.worker +
    Math.ceil(rolloutShare * agents.maxReplicas + 1) * connections.agent +
    connections.spare;
  const memoryMib = 512 + maxConnections * mibPerConnection;
  return {
    ...facts,
    instances: redundant ? 2 : 1,
    storageGib: database.storageGib,
    keepBackupsDays: database.keepBackupsDays,
    maxConnections,
    resources: { cpuMilli: redundant ? 1_000 : 250, cpuLimitMilli: 4_000, memoryMib, memoryLimitMib: memoryMib },
  };
}
