/** Decides: from what a tenant declares to replicas, sizes, names and addresses. Pure; components only do what it says. */
import { planAddresses } from './plan/addresses.ts';
import { isRedundant, planAgents } from './plan/agents.ts';
import { planDatabase } from './plan/database.ts';
import { planNames, scopeOf } from './plan/names.ts';
import { planPhone } from './plan/phone.ts';
import { planQuota } from './plan/quota.ts';
import { planRooms } from './plan/rooms.ts';
import { planApi, planWorker } from './plan/services.ts';
import type { TenantPlan } from './plan/tenant-plan.ts';
import { planTraffic } from './plan/traffic.ts';
import { planVariables } from './plan/variables.ts';
import { targets } from './targets/registry.ts';
import type { Tenant } from './tenant.ts';

export function planTenant(tenant: Tenant): TenantPlan {
  const facts = targets[tenant.target].facts(tenant);
  const names = planNames(tenant.slug);
  const redundant = isRedundant(tenant.capacity);
  const api = planApi(tenant);
  const worker = planWorker(tenant);
  const agents = planAgents(tenant.capacity, facts.agents);
  const rooms = planRooms(tenant, facts.rooms);
  const database = planDatabase(tenant, facts.database, { api, worker, agents, redundant });
  const phone = planPhone(tenant, facts.rooms);
  const shares = api.replicas > 1 || rooms.replicas > 1 || phone !== undefined;
  const cache = shares ? { databaseNumber: facts.rooms.slot } : undefined;
  const addresses = planAddresses(tenant, names, rooms);
  const decided = { tenant, names, redundant, api, worker, agents, rooms, phone, database, cache, addresses };
  return {
    ...decided,
    scope: scopeOf(names, tenant),
    quota: planQuota(decided),
    erasable: tenant.mayErase === tenant.slug,
    variables: planVariables(decided),
    traffic: planTraffic(decided, facts.places),
  };
}
