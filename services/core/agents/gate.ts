import { hashOf } from '../../agent-files/compile/hash.ts';
import type { AgentVersion } from '../../agent-files/definition/compiled.ts';
import { agentForScenarios, modelName } from '../../agent-files/scenarios/model.ts';
import type { ModelChoice, ScenarioFailure, ScenarioReport } from '../../agent-files/scenarios/report.ts';
import type { Scenario } from '../../contract/generated/scenario.ts';
import type { Database } from '../../store/database.ts';
import { keepResults } from '../../store/tables/agent-scenarios.ts';
import { findAgent } from '../../store/tables/agents.ts';
import { insertPasses, listUntried, listWithoutPass, type TrialKey } from '../../store/tables/scenario-passes.ts';
import { storable } from '../../store/text.ts';

/** A version that must pass its agent's scenarios. */
export interface Trial extends TrialKey {
  version: AgentVersion;
  scenarios: readonly Scenario[];
}

export interface Candidates {
  versions: readonly AgentVersion[];
  scenarios: readonly { agent: string; scenarios: readonly Scenario[] }[];
}

/** What a revision's versions are measured by. Agents without a scenario, or with live ones only, have nothing to pass. */
export function trialsOf(
  { versions, scenarios }: Candidates,
  { model, env }: { model: ModelChoice; env: Readonly<Record<string, string | undefined>> },
): Trial[] {
  return versions.flatMap((version) => {
    const { agent, hash } = { agent: version.agent.agent, hash: version.hash };
    const own = scenarios.find((file) => file.agent === agent)?.scenarios ?? [];
    if (own.every(({ live }) => live)) return [];
    return {
      agent,
      versionHash: hash,
      scenarioHash: hashOf(own),
      model: modelName(agentForScenarios(version.agent, model), env),
      version,
      scenarios: own,
    };
  });
}

/** Those that still need a run: a version that was live before needs none (a revert is never blocked), nor one with a stored pass. */
export const untried = (db: Database, tenant: string, trials: readonly Trial[]): Promise<Trial[]> =>
  among(trials, () => db.asTenant(tenant, (tx) => listUntried(tx, trials)));

/** Those that nothing says to have passed, whether they were live before or not. */
export const withoutPass = (db: Database, tenant: string, trials: readonly Trial[]): Promise<Trial[]> =>
  among(trials, () => db.asTenant(tenant, (tx) => listWithoutPass(tx, trials)));

async function among(trials: readonly Trial[], list: () => Promise<string[]>): Promise<Trial[]> {
  if (trials.length === 0) return [];
  const agents = new Set(await list());
  return trials.filter(({ agent }) => agents.has(agent));
}

/** Stores what came of each scenario, for people to see. */
export async function recordResults(
  db: Database,
  tenant: string,
  trials: readonly TrialKey[],
  reports: readonly ScenarioReport[],
): Promise<void> {
  const results = trials.flatMap(({ agent, versionHash, model }) =>
    reports
      .filter((report) => report.agent === agent)
      .map(({ name, outcome, runs, passes, failures }) => ({
        ...{ agent, name, version_hash: versionHash, model, outcome, runs, passes },
        failures: failures.slice(0, failuresKept).map(shortened),
      })),
  );
  await db.asTenant(tenant, (tx) => keepResults(tx, tenant, results));
}

const failuresKept = 5;
const textKept = 500;

const shortened = ({ turn, said, expected, got }: ScenarioFailure): ScenarioFailure => ({
  turn,
  said: said === null ? null : storable(said.slice(0, textKept)),
  expected: storable(expected.slice(0, textKept)),
  got: storable(got.slice(0, textKept)),
});

/** Stores that these versions passed: they need no further run on that model. */
export async function recordPasses(db: Database, tenant: string, passed: readonly TrialKey[]): Promise<void> {
  if (passed.length > 0) await db.asTenant(tenant, (tx) => insertPasses(tx, tenant, passed));
}

/** The version that an agent has live, with the settings that hold for it; undefined when it is new or its file was deleted. */
export async function liveVersion(db: Database, tenant: string, agent: string): Promise<AgentVersion | undefined> {
  const row = await db.asTenant(tenant, (tx) => findAgent(tx, agent));
  if (!row || row.deleted_at) return undefined;
  return { hash: row.version_hash, agent: { ...row.definition, settings: row.settings } };
}
