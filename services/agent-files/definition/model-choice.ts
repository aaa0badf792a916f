/** Which provider's model answers. The agent host, the gate of scenarios and the summary ask here. */
import type { Variables } from '../../process/variables.ts';
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

/** Who answers in speech-to-speech sessions. */
export const realtimeProviderOf = ({ realtime }: Pick<CompiledAgent, 'realtime'>): string =>
  realtime?.provider ?? usualRealtime;
