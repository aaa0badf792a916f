import type { CapNear } from '../../contract/deployment-answers.ts';
import type { Queryable } from '../../store/sql.ts';
import { findLiveAgent, type LiveAgentFacts, type LiveAgentRow, type UsageNow } from '../../store/tables/agents.ts';

/** Whoever has used so much of a cap is told in time to raise it. */
const nearShare = 0.8;

interface Caps {
  minutesPerDay?: number;
  minutesPerMonth?: number;
  tokensPerDay?: number;
}

/** Caps that are nearly used up, or are: of the agent itself, and of its tenant. Pure. */
export function capsNear({
  own,
  whole,
  settings,
  caps,
}: Pick<LiveAgentFacts, 'own' | 'whole' | 'settings' | 'caps'>): CapNear[] {
  const all = [...used('agent', own, settings.caps), ...used('tenant', whole, caps)];
  return all.filter(({ used: amount, limit }) => amount >= limit * nearShare);
}

function used(of: CapNear['of'], usage: UsageNow | null, caps: Caps): CapNear[] {
  if (!usage) return [];
  const amounts = {
    minutesPerDay: Math.floor(usage.billed_seconds_today / 60),
    minutesPerMonth: Math.floor(usage.billed_seconds_month / 60),
    tokensPerDay: usage.tokens_today,
  };
  return (['minutesPerDay', 'minutesPerMonth', 'tokensPerDay'] as const).flatMap((cap) => {
    const limit = caps[cap];
    return limit === undefined ? [] : [{ of, cap, used: amounts[cap], limit }];
  });
}

/** By agent. An agent without caps of its own is looked at only where nobody else has told of the tenant's. */
export async function listCapsNear(
  tx: Queryable,
  tenant: string,
  rows: readonly Pick<LiveAgentRow, 'agent' | 'settings'>[],
): Promise<Map<string, CapNear[]>> {
  const near = new Map<string, CapNear[]>();
  let ofTenant: CapNear[] | undefined;
  for (const { agent, settings } of rows) {
    const isCapped = Object.keys(settings.caps).length > 0;
    const facts = isCapped || !ofTenant ? await findLiveAgent(tx, tenant, agent) : undefined;
    const found = facts ? capsNear(facts) : [];
    ofTenant ??= found.filter(({ of }) => of === 'tenant');
    near.set(agent, [...found.filter(({ of }) => of === 'agent'), ...ofTenant]);
  }
  return near;
}
