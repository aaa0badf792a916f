/** What people see of the scenarios beside agents, and how they have them run. */
import type { ScenariosShown } from '../../contract/deployment-answers.ts';
import { problems } from '../../contract/problems.ts';
import type { Database } from '../../store/database.ts';
import {
  type AgentScenariosRow,
  askForRun,
  findScenarios,
  listLastPasses,
  listResults,
  listScenarios,
  type PassRow,
  type ScenarioResultRow,
} from '../../store/tables/agent-scenarios.ts';
import { type LiveAgentRow, listLiveAgents } from '../../store/tables/agents.ts';
import { addJob } from '../../store/tables/jobs.ts';
import { type Acting, audited } from '../account/acting.ts';

const shownOfHash = 12;
const mostAgents = 1_000;
const passesShown = 5;
/** A run that was asked for and of which nobody has heard for so long was lost with its worker. */
const lostAfterMs = 15 * 60_000;

/** Every agent that has scenarios, each with what came of it last on the version that is live. */
export async function listShownScenarios(
  db: Database,
  tenant: string,
  now: Date,
): Promise<{ items: ScenariosShown[] }> {
  return db.asTenant(tenant, async (tx) => {
    const rows = await listScenarios(tx);
    const live = await listLiveAgents(tx, { limit: mostAgents });
    const results = await listResults(
      tx,
      live.map(({ version_hash }) => version_hash),
    );
    const agents = rows.map(({ agent }) => agent);
    const passes = await listLastPasses(tx, agents, passesShown);
    const versionOf = new Map(live.map((row) => [row.agent, row]));
    return { items: rows.map((row) => shownOf(row, { live: versionOf.get(row.agent), results, passes, now })) };
  });
}

interface Known {
  live: LiveAgentRow | undefined;
  results: readonly ScenarioResultRow[];
  passes: readonly PassRow[];
  now: Date;
}

function shownOf(row: AgentScenariosRow, { live, results, passes, now }: Known): ScenariosShown {
  const own = results.filter(({ agent, version_hash }) => agent === row.agent && version_hash === live?.version_hash);
  return {
    agent: row.agent,
    version: live ? live.version_hash.slice(0, shownOfHash) : null,
    isRunning: isRunning(row, now),
    problem: row.problem,
    scenarios: row.scenarios.map(({ name, language, turns, live: callsEndpoints }) => ({
      ...{ name, language: language ?? null, said: turns.map(({ say }) => say), live: callsEndpoints },
      results: own.filter((result) => result.name === name).map(toResult),
    })),
    passes: passes
      .filter(({ agent }) => agent === row.agent)
      .map(({ version_hash, scenario_hash, model, passed_at }) => ({
        ...{ version: version_hash.slice(0, shownOfHash), model, passedAt: passed_at },
        isOfThese: scenario_hash === row.scenario_hash,
      })),
  };
}

const toResult = ({ model, outcome, runs, passes, failures, run_at }: ScenarioResultRow) => ({
  ...{ model, outcome, runs, passes, failures },
  runAt: run_at,
});

const isRunning = ({ asked_at, ran_at }: AgentScenariosRow, now: Date): boolean =>
  asked_at !== null && (ran_at === null || ran_at < asked_at) && now.getTime() - asked_at.getTime() < lostAfterMs;

/**
 * Has the scenarios of an agent run against the version that is live; nothing, where that is under way.
 * @throws Problem `agent_not_found` for one without scenarios, too
 */
export async function askForScenarios(db: Database, acting: Acting, agent: string, now: Date): Promise<void> {
  await db.asTenant(acting.tenant, async (tx) => {
    const row = await findScenarios(tx, agent);
    if (!row) throw problems.agentNotFound(agent);
    if (isRunning(row, now)) return;
    await askForRun(tx, agent);
    const key = `scenarios ${acting.tenant} ${agent}`;
    await addJob(tx, 'run_scenarios', { tenant: acting.tenant, agent }, { key, maxAttempts: 3 });
    await audited(tx, acting, { action: 'scenarios.run', target: agent });
  });
}
