/** Which variables hold the keys of the providers that an agent names, and which of them are not there. */
import type { Variables } from '../../process/variables.ts';
import type { CompiledAgent, SecretReference } from './compiled.ts';
import { realtimeProviderOf } from './model-choice.ts';
import { keyName } from './provider-facts.ts';

interface NeededKey {
  name: string;
  /** Such as `Recognition by deepgram`. */
  purpose: string;
}

/** A sentence for each key that the agent's providers need and that this environment lacks. */
export function missingKeys(agent: CompiledAgent, env: Variables): string[] {
  return [...neededByModels(agent), ...neededBySpeech(agent)]
    .filter(({ name }) => !env[name])
    .map(({ name, purpose }) => `${purpose} needs a key, and ${name} is not set here.`);
}

/** `auto` does without one. */
const neededByModels = ({ model, modelFallbacks }: CompiledAgent): NeededKey[] =>
  [model, ...modelFallbacks].flatMap((declared) =>
    needed(keyName(declared.provider, declared), `The model of ${declared.provider}`),
  );

function neededBySpeech(agent: CompiledAgent): NeededKey[] {
  const { voiceAgentKind, speech, realtime } = agent;
  if (voiceAgentKind === 'realtime') {
    const provider = realtimeProviderOf(agent);
    return needed(keyName(provider, realtime ?? {}), `The speech-to-speech model of ${provider}`);
  }
  const by = (purpose: string) => (declared: { provider: string; apiKey?: SecretReference; baseUrl?: string }) =>
    needed(keyName(declared.provider, declared), `${purpose} by ${declared.provider}`);
  return [
    ...(speech?.recognition ?? []).flatMap(by('Recognition')),
    ...(speech?.synthesis ?? []).flatMap(by('Speech')),
  ];
}

const needed = (name: string | undefined, purpose: string): NeededKey[] => (name ? [{ name, purpose }] : []);
