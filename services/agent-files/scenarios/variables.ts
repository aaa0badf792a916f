/** Which variables scenarios are run with: keys of the models that the jobs name, and the judge's settings. */

import type { Variables } from '../../process/variables.ts';
import { namesIn, settings } from '../../settings/settings.ts';
import { type AgentVariables, ofServers } from '../definition/agent-variables.ts';
import { autoProvider } from '../definition/model-choice.ts';
import { factsOf, keyName } from '../definition/provider-facts.ts';
import { agentForScenarios } from './model.ts';
import type { ScenarioRequest } from './report.ts';

const ofJudge = namesIn(settings.judge.settings);
/** Of the judge that names neither a server nor a key. */
const usualJudgesKey = factsOf(autoProvider)?.key;

/** All that a run of scenarios may need. */
export const scenarioVariables = ({ ofProviders }: AgentVariables, variables: Variables): Variables => ({
  ...only(ofJudge, variables),
  ...ofProviders,
});

/** What these jobs need of it. */
export function neededBy(
  { settings: { model: choice }, jobs }: ScenarioRequest,
  env: Variables,
): Record<string, string> {
  const ofModels = jobs.flatMap(({ definition }) => {
    const { model } = agentForScenarios(definition, choice);
    return keyName(model.provider === 'auto' ? autoProvider : model.provider, model) ?? [];
  });
  const ofJudges = env[settings.judge.settings.model.name]
    ? [...ofJudge, ...(usualJudgesKey ? [usualJudgesKey] : [])]
    : [];
  return only([...ofModels, ...ofJudges, ...ofServers], env);
}

const only = (names: readonly string[], variables: Variables): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = variables[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
