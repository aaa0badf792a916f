import type { llm } from '@livekit/agents';
import type { CompiledAgent, CompiledModel, ModelProvider } from '../../agent-files/definition/compiled.ts';
import { canUseOpenAI, type Environment, makeOpenAI } from '../providers/openai/model.ts';
import { ScriptedLLM } from '../providers/scripted/model.ts';
import { ModelNotConfigured, ProviderMissing } from './configuration.ts';
import { ModelsInOrder } from './fallback.ts';

export { ModelNotConfigured, ProviderMissing } from './configuration.ts';
export { keepSessionAlive, ModelFailure, modelFailureOf } from './failure.ts';

/**
 * The language model of one session: the declared one, followed by its fallbacks in order. One object per session; what
 * fails in it is a `ModelFailure`, which says how the host sees it.
 *
 * @throws ProviderMissing when a provider is declared that is not built in yet
 * @throws ModelNotConfigured when a key or the script is missing
 */
export function makeModel(agent: CompiledAgent, language: () => string, env: Environment): llm.LLM {
  const [first, ...fallbacks] = [agent.model, ...agent.modelFallbacks].map((model) =>
    makeOne(agent, model, language, env),
  );
  if (!first) throw new ModelNotConfigured('The agent declares no model.');
  return fallbacks.length === 0 ? first : new ModelsInOrder([first, ...fallbacks]);
}

function makeOne(agent: CompiledAgent, model: CompiledModel, language: () => string, env: Environment): llm.LLM {
  const provider = providerOf(model, env);
  switch (provider) {
    case 'openai':
      return makeOpenAI(model, env);
    case 'scripted':
      return makeScripted(agent, language);
    case 'google':
    case 'anthropic':
      throw new ProviderMissing(provider);
    default:
      return provider satisfies never;
  }
}

/** What `auto` means here and now. */
export function providerOf(model: CompiledModel, env: Environment): ModelProvider {
  if (model.provider !== 'auto') return model.provider;
  return canUseOpenAI(model, env) ? 'openai' : 'scripted';
}

function makeScripted({ agent, script, tools }: CompiledAgent, language: () => string): llm.LLM {
  if (!script) throw new ModelNotConfigured(`The agent "${agent}" has no script, and no other model can be used.`);
  return new ScriptedLLM({ script, tools, language });
}
