import type { ScenarioReport } from '../agent-files/scenarios/report.ts';
import type { PassesFile } from '../contract/generated/passes.ts';
import type { Trial } from '../core/agents/gate.ts';

/**
 * What may be handed to an installation: the agents of which everything passed that is asked before an activation. Expectations
 * that nobody judged here prove nothing to an installation that has a judge.
 */
export function passesOf(trials: readonly Trial[], reports: readonly ScenarioReport[]): PassesFile {
  const holds = ({ outcome, unjudged }: ScenarioReport) => outcome !== 'failed' && unjudged === 0;
  const passed = trials.filter(({ agent }) => {
    const own = reports.filter((report) => report.agent === agent);
    return own.length > 0 && own.every(holds);
  });
  return {
    passes: passed.map(({ agent, versionHash, scenarioHash, model }) => ({ agent, versionHash, scenarioHash, model })),
  };
}
