/** What agents get of the operator's variables: those that are declared for them, and each provider its own key. */
import { providerFacts } from '../../contract/generated/providers.ts';
import type { Variables } from '../../process/variables.ts';
import { settings } from '../../settings/settings.ts';
import { isForAgents } from '../../settings/subjects/agent-variables.ts';

export interface AgentVariables {
  /** What `{env: NAME}` finds in tools and webhooks: what the operator has declared. */
  declared: Variables;
  /** What models and speech find: the same, the usual keys of providers, which nobody but the provider is sent, and `serversIn`. */
  ofProviders: Variables;
}

/** Not secret: where servers of providers may be (`serversIn`). */
export const ofServers = [settings.environment.name, settings.providerHosts.name];

export function variablesForAgents(names: readonly string[] = [], variables: Variables): AgentVariables {
  const declared = only(names.filter(isForAgents), variables);
  const usualKeys = Object.values(providerFacts).flatMap(({ key }) => key ?? []);
  return { declared, ofProviders: { ...only([...usualKeys, ...ofServers, ...ofThisMachine], variables), ...declared } };
}

/** The same for commands, whose environment says by itself what is declared. */
export const agentVariablesIn = (variables: Variables): AgentVariables => {
  const { name, parse } = settings.agentVariables;
  return variablesForAgents(parse(variables[name] ?? ''), variables);
};

/** Not secret: the model of this machine (`modelHere`). */
const ofThisMachine = [settings.localModel.name];

const only = (names: readonly string[], variables: Variables): Variables =>
  Object.fromEntries(names.flatMap((name) => (variables[name] === undefined ? [] : [[name, variables[name]]])));
