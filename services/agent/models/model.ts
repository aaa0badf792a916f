import type { llm } from '@livekit/agents';
import type { CompiledAgent } from '../../agent-files/definition/compiled.ts';
import { providerHere } from '../../agent-files/definition/model-choice.ts';
import type { Variables } from '../../process/variables.ts';
import { providers } from '../providers/registry.ts';
import { ModelNotConfigured, ProviderMissing } from './configuration.ts';
import { ModelsInOrder } from './fallback.ts';
import type { MakeModel, ModelSession } from './making.ts';

export { ModelNotConfigured, ProviderMissing } from './configuration.ts';
export { keepSessionAlive, ModelFailure, modelFailureOf } from './failure.ts';

/** Loaded as the host starts: a person's first word waits for no plugin. */
const makers: ReadonlyMap<string, MakeModel> = new Map(
  await Promise.all(
    providers.flatMap(({ name, model }) => (model ? [model.load().then(({ make }) => [name, make] as const)] : [])),
  ),
);

/**
 * The language model of one session: the declared one, followed by its fallbacks in order. One object per session; what
 * fails in it is a `ModelFailure`, which says how the host sees it.
 *
 * @throws ProviderMissing when a provider is declared that is not built in yet
 * @throws ModelNotConfigured when a key or the script is missing
 */
export function makeModel(agent: CompiledAgent, session: ModelSession, env: Variables): llm.LLM {
  const [first, ...fallbacks] = [agent.model, ...agent.modelFallbacks].map((declared) => {
    const provider = providerHere(declared, env);
    const make = makers.get(provider);
    if (!make) throw new ProviderMissing(provider);
    return make(declared, { ...session, agent, env, provider });
  });
  if (!first) throw new ModelNotConfigured('The agent declares no model.');
  return fallbacks.length === 0 ? first : new ModelsInOrder([first, ...fallbacks]);
}
