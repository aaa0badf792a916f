import type { AgentSettings, CompiledAgent } from '../../agent-files/definition/compiled.ts';
import { problems } from '../../contract/problems.ts';
import type { Queryable } from '../../store/sql.ts';
import { findAgentOfKey, findLiveAgent, type LiveAgentFacts, type UsageNow } from '../../store/tables/agents.ts';
import type { TenantRow } from '../../store/tables/tenants.ts';

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

/** The agent as it was read before: its definition is not read again while its version is live. */
export type KnownAgent = Pick<LiveAgent, 'versionHash' | 'definition'>;

/** Undefined when the tenant has no such agent. */
export async function loadLiveAgent(db: Queryable, tenant: string, agent: string): Promise<LiveAgent | undefined> {
  const row = await findLiveAgent(db, tenant, agent);
  return row && toLiveAgent(row);
}

/** Whose API key this is, as `loadLiveAgent`, in one round trip; undefined for a key that is unknown or expired. */
export async function loadAgentOfKey(
  db: Queryable,
  keyHash: Buffer,
  known: KnownAgent | undefined,
): Promise<LiveAgent | undefined> {
  const row = await findAgentOfKey(db, keyHash, known?.versionHash);
  return row && toLiveAgent(row, known);
}

function toLiveAgent(row: LiveAgentFacts, known?: KnownAgent): LiveAgent | undefined {
  const definition = row.version_hash === known?.versionHash ? known.definition : row.definition;
  if (!definition) return undefined;
  return {
    tenant: row.tenant_id,
    agent: row.agent,
    versionHash: row.version_hash,
    definition,
    settings: row.settings,
    features: row.features,
    tenantCap: row.caps.concurrentSessions ?? null,
    closed: closedBy(row),
    exhausted: exhaustedBy(row.own, row.settings.caps) ?? exhaustedBy(row.whole, row.caps),
  };
}

function closedBy(row: LiveAgentFacts): LiveAgent['closed'] {
  if (row.is_deleted) return 'deleted';
  return row.is_disabled ? 'disabled' : undefined;
}

interface Caps {
  minutesPerDay?: number;
  minutesPerMonth?: number;
  tokensPerDay?: number;
}

function exhaustedBy(usage: UsageNow | null, caps: Caps): LiveAgent['exhausted'] {
  if (!usage) return undefined;
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
