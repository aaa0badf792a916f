import type { Tenant } from '../tenant.ts';
import type { Addresses } from './addresses.ts';
import type { AgentFleetPlan } from './agents.ts';
import type { DatabasePlan } from './database.ts';
import type { Names, Scope } from './names.ts';
import type { PhonePlan } from './phone.ts';
import type { QuotaPlan } from './quota.ts';
import type { RoomServerPlan } from './rooms.ts';
import type { ServicePlan } from './services.ts';
import type { TrafficRule } from './traffic.ts';
import type { Variables } from './variables.ts';

/** All that is decided about a tenant wherever it runs. Components get their parts of it, never the whole. */
export interface TenantPlan {
  tenant: Tenant;
  names: Names;
  scope: Scope;
  /** Whether the loss of a machine must not be the loss of the service. */
  redundant: boolean;
  api: ServicePlan;
  worker: ServicePlan;
  agents: AgentFleetPlan;
  rooms: RoomServerPlan;
  database: DatabasePlan;
  /** Undefined: nobody calls, and nothing of it is made. */
  phone: PhonePlan | undefined;
  /** Redis, by which several room servers are one, the SIP bridge is told of calls, and several replicas count requests together. */
  cache: { databaseNumber: number } | undefined;
  addresses: Addresses;
  quota: QuotaPlan;
  variables: Variables;
  /** Whether database, dumps and master keys may go, which nothing brings back. */
  erasable: boolean;
  /** Who may talk to whom. */
  traffic: readonly TrafficRule[];
}

/** All that the tenant has in its cluster, its own first. */
export const namespacesOf = ({ names, phone }: Pick<TenantPlan, 'names' | 'phone'>): string[] => [
  ...[names.namespace, names.roomsNamespace],
  ...(phone === undefined ? [] : [names.phoneNamespace]),
];
