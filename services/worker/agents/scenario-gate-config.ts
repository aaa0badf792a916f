import { aWholeNumber, type EnvironmentReader, oneOf } from '../../process/environment.ts';
import type { ScenarioGateSettings } from './scenario-gate.ts';

export function readScenarioGateSettings(env: EnvironmentReader): ScenarioGateSettings {
  const activation = env.optional(
    'PARLEY_ACTIVATION',
    'whole',
    '"whole" (a failing scenario refuses the revision) or "by-agent" (it holds back its own agent only)',
    oneOf('whole', 'by-agent'),
  );
  return {
    model: env.optional(
      'PARLEY_SCENARIO_MODEL',
      'scripted',
      '"scripted" (agents with a script are tried on it) or "declared" (on the model that they name)',
      oneOf('scripted', 'declared'),
    ),
    byAgent: activation === 'by-agent',
    deadlineMs: env.optional('PARLEY_SCENARIO_SECONDS', 120, 'seconds from 5 to 3600', aWholeNumber(5, 3_600)) * 1_000,
  };
}
