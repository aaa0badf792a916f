import { isRedundant, planAgents } from '../../plan/agents.ts';
import { planDatabase } from '../../plan/database.ts';
import { planApi, planWorker } from '../../plan/services.ts';
import type { Tenant } from '../../tenant.ts';

/** The tenants of other stacks that a foundation is made for. */
export interface GuestsPlan {
  count: number;
  /** Conversations of each, at most. */
  voice: number;
  text: number;
  /** To the database, of each, at most. */
  connections: number;
}

/** As a guest's own stack will plan it. Pure; undefined where nobody shares. */
export function planGuests(tenant: Tenant): GuestsPlan | undefined {
  if (tenant.guests === undefined) return undefined;
  const { voice, text } = tenant.guests;
  const capacity = { ...tenant.capacity, voice, text };
  const guest: Tenant = { ...tenant, capacity };
  const callers = {
    api: planApi(guest),
    worker: planWorker(guest),
    agents: planAgents(capacity, { nodes: {} }),
    redundant: isRedundant(capacity),
  };
  const { maxConnections } = planDatabase(guest, { kind: 'rds', madeOnServer: false }, callers);
  return { ...tenant.guests, connections: maxConnections };
}
