/** What the pods of a tenant may ask for together, so that one tenant does not take its neighbours' nodes. */
import type { AgentFleetPlan } from './agents.ts';
import type { DatabasePlan } from './database.ts';
import type { PhonePlan } from './phone.ts';
import type { Resources } from './resources.ts';
import type { RoomServerPlan } from './rooms.ts';
import type { ServicePlan } from './services.ts';

export interface Quota {
  cpuMilli: number;
  memoryMib: number;
  pods: number;
}

export interface QuotaPlan {
  tenant: Quota;
  rooms: Quota;
  phone: Quota | undefined;
}

interface Asking {
  api: ServicePlan;
  worker: ServicePlan;
  agents: AgentFleetPlan;
  database: DatabasePlan;
  rooms: RoomServerPlan;
  phone: PhonePlan | undefined;
}

/** A rollout has old and new pods at once, and an autoscaler may be in the middle of its own. */
const rollout = 2;
/** Jobs, dumps, the cache, an operator's and a certificate solver's pods. */
const others: Quota = { cpuMilli: 4_000, memoryMib: 4_096, pods: 20 };

export function planQuota({ api, worker, agents, database, rooms, phone }: Asking): QuotaPlan {
  const servers = database.kind === 'statefulset' || database.kind === 'cloudnativepg' ? database.instances : 0;
  return {
    tenant: sum([
      timesOf(api.resources, rollout * api.replicas),
      timesOf(worker.resources, rollout * worker.replicas),
      timesOf(agents.resources, rollout * agents.maxReplicas),
      timesOf(database.resources, rollout * servers),
      others,
    ]),
    // One a node, and a server that drains stays beside its successor.
    rooms: sum([timesOf(rooms.resources, rollout * rooms.replicas)]),
    phone: phone && timesOf(phone.resources, rollout * phone.replicas),
  };
}

const timesOf = ({ cpuMilli, memoryMib }: Resources, count: number): Quota => ({
  cpuMilli: cpuMilli * count,
  memoryMib: memoryMib * count,
  pods: count,
});

const sum = (quotas: readonly Quota[]): Quota =>
  quotas.reduce((one, other) => ({
    cpuMilli: one.cpuMilli + other.cpuMilli,
    memoryMib: one.memoryMib + other.memoryMib,
    pods: one.pods + other.pods,
  }));
