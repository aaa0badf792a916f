import type { AgentSettings, CompiledAgent, CompiledLimits } from '../../agent-files/definition/compiled.ts';
import { first, prepared, type Queryable, sql } from '../sql.ts';
import type { TenantRow } from './tenants.ts';

export interface AgentRow {
  tenant_id: string;
  agent: string;
  version_hash: string;
  /** The one that was live before it; null for the first, and where a release that did not keep it made it live. */
  version_before: string | null;
  settings: AgentSettings;
  activated_at: Date;
  deleted_at: Date | null;
  disabled_at: Date | null;
  webhook_disabled_at: Date | null;
}

export interface LiveAgentRow extends AgentRow {
  definition: CompiledAgent;
  /** That its version came from first; null for a folder. */
  commit: string | null;
}

export const findAgent = (q: Queryable, agent: string) =>
  first<LiveAgentRow>(
    q,
    sql`
    select a.*, v.definition, v.commit from agents a
    join agent_versions v on v.tenant_id = a.tenant_id and v.agent = a.agent and v.hash = a.version_hash
    where a.agent = ${agent}`,
  );

/** By name, those after `after`. */
export const listLiveAgents = (q: Queryable, { after, limit }: { after?: string | undefined; limit: number }) =>
  q.query<LiveAgentRow>(sql`
    select a.*, v.definition, v.commit from agents a
    join agent_versions v on v.tenant_id = a.tenant_id and v.agent = a.agent and v.hash = a.version_hash
    where ${after ?? null}::text is null or a.agent > ${after ?? null}
    order by a.agent limit ${limit}`);

/** UTC. */
export interface UsageNow {
  tokens_today: number;
  billed_seconds_today: number;
  billed_seconds_month: number;
}

/** An agent as it answers now, with its tenant. */
export interface LiveAgentFacts {
  tenant_id: string;
  agent: string;
  version_hash: string;
  /** Null when the caller has it already. */
  definition: CompiledAgent | null;
  settings: AgentSettings;
  features: TenantRow['features'];
  caps: TenantRow['caps'];
  is_deleted: boolean;
  is_disabled: boolean;
  /** What counts against caps of the agent, and of the tenant; null where it has none of these. */
  own: UsageNow | null;
  whole: UsageNow | null;
}

export const findLiveAgent = (q: Queryable, tenant: string, agent: string) =>
  first<LiveAgentFacts>(q, sql`select * from live_agent(${tenant}, ${agent}, null)`);

/** The agent whose API key has this hash; without its definition if that is of the version `knownHash`. */
export const findAgentOfKey = (q: Queryable, keyHash: Buffer, knownHash?: string) =>
  first<LiveAgentFacts>(
    q,
    prepared(
      'agent-of-key',
    )`select a.* from locate_key(${keyHash}) k, live_agent(k.tenant_id, k.agent, ${knownHash ?? null}) a`,
  );

/** Live agents of all tenants, the latest first. */
export const locateAgents = (q: Queryable, limit: number) =>
  q.query<{ tenant_id: string; agent: string }>(sql`select * from locate_agents(${limit})`);

export const listAgents = (q: Queryable) => q.query<AgentRow>(sql`select * from agents order by agent`);

/** Keeps others from changing what belongs to an agent until the transaction ends. False when there is none. */
export const lockAgent = async (q: Queryable, agent: string) =>
  (await first(q, sql`select 1 from agents where agent = ${agent} for update`)) !== undefined;

export interface VersionRow {
  agent: string;
  hash: string;
  definition: CompiledAgent;
  commit: string | null;
  created_at: Date;
}

export const findVersion = (q: Queryable, agent: string, hash: string) =>
  first<VersionRow>(
    q,
    sql`select agent, hash, definition, commit, created_at from agent_versions where agent = ${agent} and hash = ${hash}`,
  );

export interface VersionName {
  agent: string;
  hash: string;
  commit: string | null;
}

/** Versions by the beginning of their hash, or of the commit that brought them: of one agent, or of all. */
export const listVersionsNamed = (
  q: Queryable,
  { agent, version, commit }: { agent?: string | undefined; version?: string | undefined; commit?: string | undefined },
) =>
  q.query<VersionName>(sql`
    select agent, hash, commit from agent_versions
    where (${agent ?? null}::text is null or agent = ${agent ?? null})
      and (${version ?? null}::text is null or starts_with(hash, ${version ?? null}))
      and (${commit ?? null}::text is null or starts_with(commit, ${commit ?? null}))`);

/** Of a version that may know much, what is asked for at every join, leave and end; undefined when it is gone. */
export const findLimits = async (q: Queryable, agent: string, hash: string) =>
  (
    await first<{ limits: CompiledLimits }>(
      q,
      sql`select coalesce(limits, definition -> 'limits') as limits from agent_versions where agent = ${agent} and hash = ${hash}`,
    )
  )?.limits;

/** All versions that ever were live, newest first. */
export const listVersions = (q: Queryable, agent: string) =>
  q.query<VersionRow>(sql`
    select agent, hash, definition, commit, created_at from agent_versions where agent = ${agent} order by created_at desc, hash`);

/** As `listVersions`: those before the one whose hash is `after`, those whose hash begins so, and as many as are wanted. */
export const listVersionsOf = (
  q: Queryable,
  agent: string,
  { after, beginning, limit }: { after?: string | undefined; beginning?: string; limit: number },
) =>
  q.query<VersionRow>(sql`
    select agent, hash, definition, commit, created_at from agent_versions v
    where agent = ${agent} and (${beginning ?? null}::text is null or starts_with(hash, ${beginning ?? null}))
      and (${after ?? null}::text is null or (created_at, hash) < (
        select a.created_at, a.hash from agent_versions a where a.agent = ${agent} and a.hash = ${after ?? null}))
    order by created_at desc, hash desc limit ${limit}`);

/** Those among these versions that are not stored yet. */
export const listUnknownVersions = (q: Queryable, versions: readonly { agent: string; hash: string }[]) =>
  q.query<{ agent: string; hash: string }>(sql`
    select n.agent, n.hash
    from unnest(${versions.map(({ agent }) => agent)}::text[], ${versions.map(({ hash }) => hash)}::text[]) as n (agent, hash)
    where not exists (select 1 from agent_versions v where v.agent = n.agent and v.hash = n.hash)`);

export interface NewVersion {
  agent: string;
  hash: string;
  definition: CompiledAgent;
}

/** Versions never change: one that is there already stays as it was. */
export const insertVersions = (
  q: Queryable,
  tenant: string,
  { versions, commit }: { versions: readonly NewVersion[]; commit: string | null },
) =>
  q.query(sql`
    insert into agent_versions (tenant_id, agent, hash, definition, limits, commit)
    select ${tenant}, n.agent, n.hash, n.definition, n.definition -> 'limits', ${commit}::text
    from unnest(${versions.map(({ agent }) => agent)}::text[], ${versions.map(({ hash }) => hash)}::text[],
      ${versions.map(({ definition }) => JSON.stringify(definition))}::jsonb[]) as n (agent, hash, definition)
    on conflict do nothing`);

export interface Activated {
  agent: string;
  hash: string;
  settings: AgentSettings;
}

/**
 * Makes these versions the live ones; an agent whose file was deleted is back. Returns the agents for which that is news:
 * rows of the others are not even locked.
 */
export const activateVersions = (q: Queryable, tenant: string, versions: readonly Activated[]) =>
  q.query<{ agent: string }>(sql`
    insert into agents (tenant_id, agent, version_hash, settings)
    select ${tenant}, n.agent, n.hash, n.settings
    from unnest(${versions.map(({ agent }) => agent)}::text[], ${versions.map(({ hash }) => hash)}::text[],
      ${versions.map(({ settings }) => JSON.stringify(settings))}::jsonb[]) as n (agent, hash, settings)
    left join agents a on a.agent = n.agent
    where a.agent is null or a.version_hash <> n.hash or a.deleted_at is not null or a.settings <> n.settings
    order by n.agent
    on conflict (tenant_id, agent) do update
      set version_before = case when agents.version_hash = excluded.version_hash then agents.version_before else agents.version_hash end,
        version_hash = excluded.version_hash, settings = excluded.settings, deleted_at = null, webhook_disabled_at =
        case when agents.settings -> 'webhook' is distinct from excluded.settings -> 'webhook' then null else agents.webhook_disabled_at end,
        activated_at = case when agents.version_hash = excluded.version_hash and agents.deleted_at is null then agents.activated_at else now() end
    returning agent`);

export const markAgentsDeletedExcept = (q: Queryable, present: readonly string[]) =>
  q.query<{ agent: string }>(sql`
    update agents set deleted_at = now() where deleted_at is null and not (agent = any (${present}::text[])) returning agent`);

export const setAgentDisabled = (q: Queryable, agent: string, disabled: boolean) =>
  first<{ agent: string }>(
    q,
    sql`update agents set disabled_at = case when ${disabled} then coalesce(disabled_at, now()) end where agent = ${agent} returning agent`,
  );

export const markWebhookDisabled = (q: Queryable, agent: string) =>
  q.query(sql`update agents set webhook_disabled_at = now() where agent = ${agent}`);
