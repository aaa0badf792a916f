import type { AgentSettings, CompiledAgent } from '../../agent-files/definition/compiled.ts';
import { problems } from '../../contract/problems.ts';
import type { Database } from '../../store/database.ts';
import { findAgent, type LiveAgentRow } from '../../store/tables/agents.ts';
import { findTenant, type TenantRow } from '../../store/tables/tenants.ts';
import { usageNow } from '../../store/tables/usage.ts';

/** An agent as it answers now: its live version, and the settings and use that are never pinned by a session. */
export interface LiveAgent {
  tenant: string;
  agent: string;
  versionHash: string;
  definition: CompiledAgent;
  settings: AgentSettings;
  features: TenantRow['features'];
  /** Sessions that the whole tenant may have at once; null is without a cap. */
  tenantCap: number | null;
  /** Why nobody may start a session with it. */
  closed: 'deleted' | 'disabled' | undefined;
  /** Caps that are reached at the moment; read with the agent, so as old as the caller's cache. */
  exhausted: 'minutes' | 'tokens' | undefined;
}

/** Undefined when the tenant has no such agent. */
export async function loadLiveAgent(db: Database, tenant: string, agent: string): Promise<LiveAgent | undefined> {
  return db.asTenant(tenant, async (tx) => {
    const row = await findAgent(tx, agent);
    const owner = await findTenant(tx, tenant);
    if (!row || !owner) return undefined;
    const own = await usageNow(tx, agent);
    const all = await usageNow(tx, null);
    return {
      tenant,
      agent,
      versionHash: row.version_hash,
      definition: row.definition,
      settings: row.settings,
      features: owner.features,
      tenantCap: owner.caps.concurrentSessions ?? null,
      closed: closedBy(row),
      exhausted: exhaustedBy(own, row.settings.caps) ?? exhaustedBy(all, owner.caps),
    };
  });
}

function closedBy(row: LiveAgentRow): LiveAgent['closed'] {
  if (row.deleted_at) return 'deleted';
  return row.disabled_at ? 'disabled' : undefined;
}

interface Usage {
  tokens_today: number;
  billed_seconds_today: number;
  billed_seconds_month: number;
}

interface Caps {
  minutesPerDay?: number;
  minutesPerMonth?: number;
  tokensPerDay?: number;
}

function exhaustedBy(usage: Usage, caps: Caps): LiveAgent['exhausted'] {
  if (caps.minutesPerDay !== undefined && usage.billed_seconds_today >= caps.minutesPerDay * 60) return 'minutes';
  if (caps.minutesPerMonth !== undefined && usage.billed_seconds_month >= caps.minutesPerMonth * 60) return 'minutes';
  return caps.tokensPerDay !== undefined && usage.tokens_today >= caps.tokensPerDay ? 'tokens' : undefined;
}

/** @throws Problem `agent_disabled`, `minute_limit`, `token_limit` */
export function refuseWhenClosed(agent: LiveAgent): void {
  if (agent.closed) throw problems.agentDisabled();
  if (agent.exhausted === 'minutes') throw problems.minuteLimit();
  if (agent.exhausted === 'tokens') throw problems.tokenLimit();
}
