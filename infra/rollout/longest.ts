import type { TenantPlan } from '../plan/tenant-plan.ts';

/** After the last server of rooms, or bridge, was replaced: until the last pods serve. */
const lastPodsMs = 600_000;

/** How long the last pods may take, once everything was asked for. */
export const longestRolloutMs = ({ rooms, phone }: Pick<TenantPlan, 'rooms' | 'phone'>): number =>
  Math.max(...[rooms, phone].map((one) => (one ? one.replicas * one.graceSeconds * 1_000 : 0))) + lastPodsMs;
