import type { CompiledAgent, CompiledModel } from '../../agent-files/definition/compiled.ts';
import { modelHere, providerHere } from '../../agent-files/definition/model-choice.ts';
import type { Variables } from '../../process/variables.ts';
import { providers } from '../providers/registry.ts';
import { Breakers } from './breaker.ts';
import { ModelNotConfigured, ProviderMissing } from './configuration.ts';
import { ModelsInOrder } from './fallback.ts';
import type { LanguageAndMode, MakeModel } from './making.ts';
import type { ModelWatch } from './watch.ts';

export { ModelNotConfigured, ProviderMissing } from './configuration.ts';
export { keepSessionAlive, ModelFailure, modelFailureOf } from './failure.ts';

/** Loaded as the host starts: a person's first word waits for no plugin. */
const makers: ReadonlyMap<string, MakeModel> = new Map(
  await Promise.all(
    providers.flatMap(({ name, model }) => (model ? [model.load().then(({ make }) => [name, make] as const)] : [])),
  ),
);

/** Of all conversations of this process. */
const breakers = new Breakers();

/**
 * The language model of one session: the declared one, followed by its fallbacks in order, within the agent's context. One
 * object per session; what fails in it is a `ModelFailure`, which says how the host sees it, and is told to `watch`.
 *
 * @throws ProviderMissing when a provider is declared that is not built in yet
 * @throws ModelNotConfigured when a key or the script is missing
 */
export function makeModel(
  agent: CompiledAgent,
  session: LanguageAndMode,
  env: Variables,
  watch?: ModelWatch,
): ModelsInOrder {
  const declared = [agent.model, ...agent.modelFallbacks].map((model) => modelHere(model, env));
  // The model of a machine may be switched off at any time: what answers without one goes on.
  if (agent.script && agent.model.provider === 'auto' && declared[0]?.baseUrl !== agent.model.baseUrl)
    declared.push({ ...agent.model, provider: providerHere(agent.model, env) });
  const [first, ...fallbacks] = declared.map((model) => {
    const { provider } = model;
    const make = makers.get(provider);
    if (!make) throw new ProviderMissing(provider);
    return make(model, { ...session, agent, env, provider });
  });
  if (!first) throw new ModelNotConfigured('The agent declares no model.');
  return new ModelsInOrder([first, ...fallbacks], {
    breakers: declared.map((model) => breakers.of(nameOf(model))),
    maxTokens: agent.context.maxTokens,
    onOutcome: (index, failure) => {
      const model = declared[index];
      if (model && failure) watch?.failed(agent.agent, model, failure);
      else if (model) watch?.answered(model);
    },
  });
}

/** Whoever gives a model less time, or another key, learns nothing of it for the others. */
const nameOf = ({ provider, baseUrl, name, apiKey, timeoutMs, spokenTimeoutMs }: CompiledModel): string =>
  JSON.stringify([provider, baseUrl, name, apiKey?.env, timeoutMs, spokenTimeoutMs]);
