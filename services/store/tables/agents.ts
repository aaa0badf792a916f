import type { AgentSettings, CompiledAgent } from '../../contract/agents/compiled.ts';
import { first, type Queryable, sql } from '../sql.ts';

export interface AgentRow {
  tenant_id: string;
  agent: string;
  version_hash: string;
  settings: AgentSettings;
  activated_at: Date;
  deleted_at: Date | null;
  disabled_at: Date | null;
  webhook_disabled_at: Date | null;
}

export interface LiveAgentRow extends AgentRow {
  definition: CompiledAgent;
}

export const findAgent = (q: Queryable, agent: string) =>
  first<LiveAgentRow>(
    q,
    sql`
    select a.*, v.definition from agents a
    join agent_versions v on v.tenant_id = a.tenant_id and v.agent = a.agent and v.hash = a.version_hash
    where a.agent = ${agent}`,
  );

export const listAgents = (q: Queryable) => q.query<AgentRow>(sql`select * from agents order by agent`);

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

/** All versions that ever were live, newest first. */
export const listVersions = (q: Queryable, agent: string) =>
  q.query<VersionRow>(sql`
    select agent, hash, definition, commit, created_at from agent_versions where agent = ${agent} order by created_at desc, hash`);

/** Versions never change: one that is there already stays as it was. */
export const insertVersion = (
  q: Queryable,
  tenant: string,
  version: { agent: string; hash: string; definition: CompiledAgent; commit: string | null },
) =>
  q.query(sql`
    insert into agent_versions (tenant_id, agent, hash, definition, commit)
    values (${tenant}, ${version.agent}, ${version.hash}, ${JSON.stringify(version.definition)}, ${version.commit})
    on conflict do nothing`);

/** Makes a version the live one; an agent whose file was deleted is back. Returns whether the agent is new. */
export const activateVersion = (
  q: Queryable,
  tenant: string,
  { agent, hash, settings }: { agent: string; hash: string; settings: AgentSettings },
) =>
  first<{ is_new: boolean }>(
    q,
    sql`
    insert into agents (tenant_id, agent, version_hash, settings)
    values (${tenant}, ${agent}, ${hash}, ${JSON.stringify(settings)})
    on conflict (tenant_id, agent) do update
      set version_hash = excluded.version_hash, settings = excluded.settings, deleted_at = null, webhook_disabled_at =
        case when agents.settings -> 'webhook' is distinct from excluded.settings -> 'webhook' then null else agents.webhook_disabled_at end,
        activated_at = case when agents.version_hash = excluded.version_hash and agents.deleted_at is null then agents.activated_at else now() end
      where agents.version_hash <> excluded.version_hash or agents.deleted_at is not null or agents.settings <> excluded.settings
    returning (xmax = 0) as is_new`,
  );

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
