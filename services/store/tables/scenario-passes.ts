import { type Queryable, sql } from '../sql.ts';

/** A version of an agent against its scenarios on a model. */
export interface TrialKey {
  agent: string;
  versionHash: string;
  scenarioHash: string;
  /** As `modelName` gives it. */
  model: string;
}

const columns = (trials: readonly TrialKey[]) => ({
  agents: trials.map(({ agent }) => agent),
  versions: trials.map(({ versionHash }) => versionHash),
  scenarios: trials.map(({ scenarioHash }) => scenarioHash),
  models: trials.map(({ model }) => model),
});

/**
 * The agents among these whose version was never live and has no pass. A version is stored in the transaction that makes it
 * live, so one that is stored was.
 */
export async function listUntried(q: Queryable, trials: readonly TrialKey[]): Promise<string[]> {
  const { agents, versions, scenarios, models } = columns(trials);
  const rows = await q.query<{ agent: string }>(sql`
    select t.agent from unnest(${agents}::text[], ${versions}::text[], ${scenarios}::text[], ${models}::text[])
      as t (agent, version_hash, scenario_hash, model)
    where not exists (select 1 from agent_versions v where v.agent = t.agent and v.hash = t.version_hash)
      and not exists (select 1 from scenario_passes p where p.agent = t.agent and p.version_hash = t.version_hash
        and p.scenario_hash = t.scenario_hash and p.model = t.model)`);
  return rows.map(({ agent }) => agent);
}

/** The agents among these whose version has no pass, live or not. */
export async function listWithoutPass(q: Queryable, trials: readonly TrialKey[]): Promise<string[]> {
  const { agents, versions, scenarios, models } = columns(trials);
  const rows = await q.query<{ agent: string }>(sql`
    select t.agent from unnest(${agents}::text[], ${versions}::text[], ${scenarios}::text[], ${models}::text[])
      as t (agent, version_hash, scenario_hash, model)
    where not exists (select 1 from scenario_passes p where p.agent = t.agent and p.version_hash = t.version_hash
      and p.scenario_hash = t.scenario_hash and p.model = t.model)`);
  return rows.map(({ agent }) => agent);
}

export async function insertPasses(q: Queryable, tenant: string, trials: readonly TrialKey[]): Promise<void> {
  const { agents, versions, scenarios, models } = columns(trials);
  await q.query(sql`
    insert into scenario_passes (tenant_id, agent, version_hash, scenario_hash, model)
    select ${tenant}, * from unnest(${agents}::text[], ${versions}::text[], ${scenarios}::text[], ${models}::text[])
    on conflict do nothing`);
}
