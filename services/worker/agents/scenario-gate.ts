import type { AgentVersion } from '../../agent-files/definition/compiled.ts';
import type { Fault } from '../../agent-files/faults.ts';
import type { AgentScenarios } from '../../agent-files/load.ts';
import { liveVersion, trialsOf, untried } from '../../core/agents/gate.ts';
import type { Database } from '../../store/database.ts';
import type { PoolLocks } from '../jobs/pool-locks.ts';
import { failedOf, faultsOf, type TryDeps, type TrySettings, tryScenarios, withoutVerdict } from './try-scenarios.ts';
import { underLock } from './under-lock.ts';

export interface ScenarioGateSettings extends TrySettings {
  /** Whether a failing scenario holds back its own agent only, instead of the revision. */
  byAgent: boolean;
}

export interface ScenarioGateDeps extends TryDeps {
  locks: Pick<PoolLocks, 'hold' | 'letGo'>;
}

export interface GatedRevision {
  /** What may be made live. */
  versions: readonly AgentVersion[];
  /** Why the revision is refused as a whole. */
  faults: Fault[];
  /** Why some agents stay as they are while the others go live. */
  heldBack: Fault[];
}

export type ScenarioGate = (revision: {
  tenant: string;
  versions: readonly AgentVersion[];
  scenarios: readonly AgentScenarios[];
}) => Promise<GatedRevision>;

/** Longer than whoever has the lock may take. */
export const lockMarginMs = 10_000;

/**
 * The last gate before an activation: versions that are new run their scenarios, and what passed is stored. All workers hear
 * of a push; one after another they come here, and who comes second finds the passes of the first.
 */
export const makeScenarioGate =
  (deps: ScenarioGateDeps, settings: ScenarioGateSettings): ScenarioGate =>
  async ({ tenant, versions, scenarios }) => {
    const { db, env, locks, signal } = deps;
    const trials = trialsOf({ versions, scenarios }, { model: settings.model, env });
    const due = () => untried(db, tenant, trials);
    if ((await due()).length === 0) return { versions, faults: [], heldBack: [] };
    const lock = { name: `scenarios ${tenant}`, withinMs: settings.deadlineMs + lockMarginMs, signal };
    const run = async () => tryScenarios(deps, settings, { tenant, due: await due() });
    const reports = await underLock(locks, lock, run).catch(withoutVerdict);
    if (!Array.isArray(reports)) return { versions, faults: [reports], heldBack: [] };
    const faults = reports.flatMap((report) => faultsOf(report, scenarios));
    if (!settings.byAgent) return { versions, faults, heldBack: [] };
    return { versions: await withoutFailed({ db, tenant }, versions, failedOf(reports)), faults: [], heldBack: faults };
  };

/** An agent that fails stays as it is; one that was never live does not become so. */
async function withoutFailed(
  { db, tenant }: { db: Database; tenant: string },
  versions: readonly AgentVersion[],
  failed: ReadonlySet<string>,
): Promise<AgentVersion[]> {
  const kept = await Promise.all(
    versions.map((version) =>
      failed.has(version.agent.agent) ? liveVersion(db, tenant, version.agent.agent) : Promise.resolve(version),
    ),
  );
  return kept.filter((version) => version !== undefined);
}
