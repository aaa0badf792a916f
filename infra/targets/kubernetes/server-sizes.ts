import type { TenantPlan } from '../../plan/tenant-plan.ts';
import { Refusal } from '../../refusal.ts';

/** Connections of one PostgreSQL in a pod, in steps: capacity within a step changes nothing of its pod, which would start anew. */
export const serverSizes = [600, 1_300, 2_700] as const;

const most = serverSizes.at(-1) ?? 0;

/** @throws Refusal where the tenant takes more than a server in the cluster is made for */
export function keepWithinOneServer({ database }: Pick<TenantPlan, 'database'>): void {
  if (database.kind === 'existing' || database.maxConnections <= most) return;
  throw new Refusal(
    `parley:capacity: this tenant takes ${database.maxConnections} connections to the database, and a server in the cluster is made for ${most} at most: name one of your own (parley:database.kind: existing), or make it several tenants.`,
  );
}
