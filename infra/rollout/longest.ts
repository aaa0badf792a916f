import type { TenantPlan } from '../plan/tenant-plan.ts';

/** After the last server of rooms was replaced: until the last pods serve. */
const lastPodsMs = 600_000;

/** How long the last pods may take, once everything was asked for. */
export const longestRolloutMs = ({ rooms }: Pick<TenantPlan, 'rooms'>): number =>
  rooms.replicas * rooms.graceSeconds * 1_000 + lastPodsMs;
