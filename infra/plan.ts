/** Decides: from what a tenant declares to replicas, sizes, names and addresses. Pure; components only do what it says. */
import type { Tenant } from './config.ts';
import { type Addresses, planAddresses } from './plan/addresses.ts';
import { type AgentFleetPlan, isRedundant, planAgents } from './plan/agents.ts';
import { type AwsPlan, planAws } from './plan/aws.ts';
import { type DatabasePlan, planDatabase } from './plan/database.ts';
import { type Names, planNames } from './plan/names.ts';
import { planRooms, type RoomServerPlan, slotOf } from './plan/rooms.ts';
import { planApi, planWorker, type ServicePlan } from './plan/services.ts';

export interface TenantPlan {
  tenant: Tenant;
  names: Names;
  /** On everything that is created. */
  labels: Readonly<Record<string, string>>;
  /** Whether the loss of a machine must not be the loss of the service. */
  redundant: boolean;
  api: ServicePlan;
  worker: ServicePlan;
  agents: AgentFleetPlan;
  rooms: RoomServerPlan;
  database: DatabasePlan;
  /** Redis, by which several room servers are one and several replicas count requests together. */
  cache: { databaseNumber: number } | undefined;
  addresses: Addresses;
  /** Undefined on any other target. */
  aws: AwsPlan | undefined;
}

export function planTenant(tenant: Tenant): TenantPlan {
  const names = planNames(tenant.slug);
  const redundant = isRedundant(tenant.capacity);
  const api = planApi(tenant);
  const worker = planWorker(tenant);
  const agents = planAgents(tenant.capacity);
  const rooms = planRooms(tenant);
  const database = planDatabase(tenant, { api, worker, agents }, redundant);
  return {
    tenant,
    names,
    labels: { 'app.kubernetes.io/part-of': 'parley', 'parley.dev/tenant': tenant.slug },
    redundant,
    api,
    worker,
    agents,
    rooms,
    database,
    cache: api.replicas > 1 || rooms.replicas > 1 ? { databaseNumber: slotOf(tenant) } : undefined,
    addresses: planAddresses(tenant, names, rooms),
    aws: tenant.target === 'aws' ? planAws(tenant, { names, redundant, api, agents, rooms, database }) : undefined,
  };
}
