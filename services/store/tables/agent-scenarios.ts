import type { Scenario } from '../../contract/generated/scenario.ts';
import { first, type Queryable, sql } from '../sql.ts';

export interface AgentScenariosRow {
  agent: string;
  scenario_hash: string;
  scenarios: Scenario[];
  /** When somebody asked for a run last, and when one that was asked for ended. */
  asked_at: Date | null;
  ran_at: Date | null;
  /** Why that run has no verdict. */
  problem: string | null;
}

export interface ScenarioResultRow {
  agent: string;
  name: string;
  version_hash: string;
  model: string;
  outcome: 'passed' | 'failed' | 'skipped';
  runs: number;
  passes: number;
  failures: { turn: number | null; said: string | null; expected: string; got: string }[];
  run_at: Date;
}

export type NotedScenarios = Pick<AgentScenariosRow, 'agent' | 'scenario_hash' | 'scenarios'>;

/** Writes those that are new or changed, and forgets those of other agents. */
export async function keepScenarios(q: Queryable, tenant: string, noted: readonly NotedScenarios[]): Promise<void> {
  const agents = noted.map(({ agent }) => agent);
  await q.query(sql`delete from agent_scenarios where not (agent = any (${agents}::text[]))`);
  if (noted.length === 0) return;
  await q.query(sql`
    insert into agent_scenarios (tenant_id, agent, scenario_hash, scenarios)
    select ${tenant}, n.agent, n.hash, n.scenarios
    from unnest(${agents}::text[], ${noted.map(({ scenario_hash }) => scenario_hash)}::text[],
      ${noted.map(({ scenarios }) => JSON.stringify(scenarios))}::jsonb[]) as n (agent, hash, scenarios)
    on conflict (tenant_id, agent) do update set scenario_hash = excluded.scenario_hash, scenarios = excluded.scenarios
      where agent_scenarios.scenario_hash <> excluded.scenario_hash`);
}

/** By agent. */
export const listScenarios = (q: Queryable, agent?: string) =>
  q.query<AgentScenariosRow>(sql`
    select agent, scenario_hash, scenarios, asked_at, ran_at, problem from agent_scenarios
    where ${agent ?? null}::text is null or agent = ${agent ?? null} order by agent`);

export const findScenarios = async (q: Queryable, agent: string): Promise<AgentScenariosRow | undefined> =>
  (await listScenarios(q, agent))[0];

/** Notes that a run was asked for; undefined for an agent without scenarios. */
export const askForRun = (q: Queryable, agent: string) =>
  first<{ asked_at: Date }>(
    q,
    sql`update agent_scenarios set asked_at = clock_timestamp(), problem = null where agent = ${agent} returning asked_at`,
  );

/** @param problem why there is no verdict, null where there is one */
export const settleRun = (q: Queryable, agent: string, problem: string | null) =>
  q.query(sql`update agent_scenarios set ran_at = clock_timestamp(), problem = ${problem} where agent = ${agent}`);

export type NewResult = Omit<ScenarioResultRow, 'run_at'>;

/** The newest result of each scenario, version and model; of agents among these, results of versions that nobody has run for 90 days go. */
export async function keepResults(q: Queryable, tenant: string, results: readonly NewResult[]): Promise<void> {
  // Of two scenarios of one name the last one's counts: a row can be written once in a statement.
  const distinct = [...new Map(results.map((one) => [`${one.agent} ${one.version_hash} ${one.name}`, one])).values()];
  if (distinct.length === 0) return;
  await q.query(sql`
    insert into scenario_results (tenant_id, agent, name, version_hash, model, outcome, runs, passes, failures)
    select ${tenant}, r.agent, r.name, r.version_hash, r.model, r.outcome, r.runs, r.passes, r.failures
    from jsonb_to_recordset(${JSON.stringify(distinct)}::jsonb)
      as r (agent text, name text, version_hash text, model text, outcome text, runs integer, passes integer, failures jsonb)
    on conflict (tenant_id, agent, name, version_hash, model) do update
      set outcome = excluded.outcome, runs = excluded.runs, passes = excluded.passes, failures = excluded.failures,
        run_at = clock_timestamp()`);
  await q.query(sql`
    delete from scenario_results where run_at < clock_timestamp() - interval '90 days'
      and agent = any (${distinct.map(({ agent }) => agent)}::text[])`);
}

/** Of these versions. */
export const listResults = (q: Queryable, versions: readonly string[]) =>
  q.query<ScenarioResultRow>(sql`
    select agent, name, version_hash, model, outcome, runs, passes, failures, run_at from scenario_results
    where version_hash = any (${versions}::text[]) order by run_at desc`);

export interface PassRow {
  agent: string;
  version_hash: string;
  scenario_hash: string;
  model: string;
  passed_at: Date;
}

/** The last passes of each agent, whoever told of them, the newest first. */
export const listLastPasses = (q: Queryable, agents: readonly string[], ofEach: number) =>
  q.query<PassRow>(sql`
    select p.* from unnest(${agents}::text[]) as a (agent), lateral (
      select agent, version_hash, scenario_hash, model, passed_at from scenario_passes
      where scenario_passes.agent = a.agent order by passed_at desc limit ${ofEach}) p`);
