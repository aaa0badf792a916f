import { hashOf } from '../../agent-files/compile/hash.ts';
import type { AgentScenarios } from '../../agent-files/load.ts';
import { liveVersion, trialsOf } from '../../core/agents/gate.ts';
import type { Database } from '../../store/database.ts';
import { findScenarios, keepScenarios, settleRun } from '../../store/tables/agent-scenarios.ts';
import { lockMarginMs, type ScenarioGateDeps } from './scenario-gate.ts';
import { type TrySettings, tryScenarios, withoutVerdict } from './try-scenarios.ts';
import { underLock } from './under-lock.ts';

/** Notes the scenarios that stand beside the agents, for people to see. */
export const noteScenarios = (db: Database, tenant: string, files: readonly AgentScenarios[]): Promise<void> =>
  db.asTenant(tenant, (tx) =>
    keepScenarios(
      tx,
      tenant,
      files.map(({ agent, scenarios }) => ({ agent, scenario_hash: hashOf(scenarios), scenarios })),
    ),
  );

export interface AskedRunDeps extends ScenarioGateDeps {
  settings: TrySettings;
  /** The id of the tenant whose agents this worker keeps: others have other keys. */
  tenant(): Promise<string>;
}

/**
 * Runs the scenarios of an agent because somebody asked for it, against the version that is live, whether they passed before or not.
 * @throws what may pass, to be tried again
 */
export async function runAsked(
  deps: AskedRunDeps,
  { tenant, agent }: { tenant: string; agent: string },
): Promise<'run' | 'no_verdict' | 'nothing_to_do'> {
  const { db, env, locks, signal, settings } = deps;
  if ((await deps.tenant()) !== tenant) throw new Error('another worker keeps the agents of this tenant');
  const version = await liveVersion(db, tenant, agent);
  const row = await db.asTenant(tenant, (tx) => findScenarios(tx, agent));
  const settle = (problem: string | null) => db.asTenant(tenant, (tx) => settleRun(tx, agent, problem));
  const due =
    version && row
      ? trialsOf(
          { versions: [version], scenarios: [{ agent, scenarios: row.scenarios }] },
          { model: settings.model, env },
        )
      : [];
  if (due.length === 0) {
    await settle('There is nothing to run: the agent is not live, or its scenarios call real endpoints only.');
    return 'nothing_to_do';
  }
  const lock = { name: `scenarios ${tenant}`, withinMs: settings.deadlineMs + lockMarginMs, signal };
  const reports = await underLock(locks, lock, () => tryScenarios(deps, settings, { tenant, due })).catch(
    withoutVerdict,
  );
  await settle(Array.isArray(reports) ? null : reports.message);
  return Array.isArray(reports) ? 'run' : 'no_verdict';
}
