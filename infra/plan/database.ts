import type { Tenant } from '../config.ts';
import type { AgentFleetPlan } from './agents.ts';
import { connections, rolloutShare } from './measured.ts';
import type { Resources, ServicePlan } from './services.ts';

export type DatabaseKind = 'statefulset' | 'cloudnativepg' | 'existing' | 'rds';

export interface DatabasePlan {
  kind: DatabaseKind;
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
}

const mibPerConnection = 8;

export function planDatabase(tenant: Tenant, { api, worker, agents }: Callers, redundant: boolean): DatabasePlan {
  const { target, database } = tenant;
  // A rollout has old and new pods at once.
  const maxConnections =
    2 * api.replicas * connections.api +
    2 * worker.replicas * connections.worker +
    Math.ceil(rolloutShare * agents.maxReplicas + 1) * connections.agent +
    connections.spare;
  const memoryMib = 512 + maxConnections * mibPerConnection;
  return {
    kind: target === 'aws' ? 'rds' : (database.kind ?? 'statefulset'),
    instances: redundant ? 2 : 1,
    storageGib: database.storageGib,
    keepBackupsDays: database.keepBackupsDays,
    maxConnections,
    resources: { cpuMilli: redundant ? 1_000 : 250, cpuLimitMilli: 4_000, memoryMib, memoryLimitMib: memoryMib },
  };
}
