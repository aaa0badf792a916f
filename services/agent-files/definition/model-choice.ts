/** Which provider's model answers. The agent host, the gate of scenarios and the summary ask here. */
import type { Variables } from '../../process/variables.ts';
import { settings } from '../../settings/settings.ts';
import type { CompiledAgent, CompiledModel, ModelProvider } from './compiled.ts';
import { keyName } from './provider-facts.ts';

/** What `auto` may become: the first where it can be used, else the second. */
export const autoProvider = 'openai';
const withoutKey = 'scripted';
const usualRealtime = 'openai';

/** Whether a model could be used now: it needs no key, or its key is there. */
export function isUsable(model: CompiledModel, provider: string, env: Variables): boolean {
  const name = keyName(provider, model);
  return name === undefined || Boolean(env[name]);
}

/** What `auto` means here and now. */
export function providerHere(model: CompiledModel, env: Variables): ModelProvider {
  if (model.provider !== 'auto') return model.provider;
  return isUsable(model, autoProvider, env) ? autoProvider : withoutKey;
}

/**
 * Who answers in a conversation: `auto` without a key is the model that was found on this machine, which is not asked what scenarios ask.
 * They follow the script then: a version must not go live today and be refused tomorrow.
 */
export function modelHere(model: CompiledModel, env: Variables): CompiledModel & { provider: ModelProvider } {
  const provider = providerHere(model, env);
  const found = localModelIn(env);
  if (model.provider !== 'auto' || provider !== withoutKey || !found) return { ...model, provider };
  return { ...model, provider: autoProvider, ...found };
}

function localModelIn(env: Variables): { baseUrl: string; name: string } | undefined {
  const [baseUrl = '', name] = (env[settings.localModel.name] ?? '').trim().split(/\s+/u);
  return name !== undefined && URL.canParse(baseUrl) ? { baseUrl, name } : undefined;
}

/** Who answers in speech-to-speech sessions. */
export const realtimeProviderOf = ({ realtime }: Pick<CompiledAgent, 'realtime'>): string =>
  realtime?.provider ?? usualRealtime;
