/** Which variables hold the keys of the providers that an agent names, and which of them are not there. */
import type { CompiledAgent, CompiledModel, SecretReference, SpeechProvider } from './compiled.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export type CloudProvider = Exclude<SpeechProvider, 'local'>;

/** Where a provider's key is looked for when an agent names no variable. */
const usualKey: Readonly<Record<CloudProvider, string>> = {
  deepgram: 'DEEPGRAM_API_KEY',
  elevenlabs: 'ELEVEN_API_KEY',
  cartesia: 'CARTESIA_API_KEY',
  openai: 'OPENAI_API_KEY',
};

/** The environment variable that holds the key of a declared provider. */
export const keyName = (provider: CloudProvider, apiKey: SecretReference | undefined): string =>
  apiKey?.env ?? usualKey[provider];

interface NeededKey {
  name: string;
  /** Such as `Recognition by deepgram`. */
  purpose: string;
}

/** A sentence for each key that the agent's providers need and that this environment lacks. */
export function missingKeys(agent: CompiledAgent, env: Environment): string[] {
  return [...neededByModels(agent), ...neededBySpeech(agent)]
    .filter(({ name }) => !env[name])
    .map(({ name, purpose }) => `${purpose} needs a key, and ${name} is not set here.`);
}

/** `auto` does without one, and so do other servers of the protocol unless the agent names a key. */
const neededByModels = ({ model, modelFallbacks }: CompiledAgent): NeededKey[] =>
  [model, ...modelFallbacks].filter(needsKey).map(({ apiKey }) => ({
    name: keyName('openai', apiKey),
    purpose: 'The model of openai',
  }));

const needsKey = ({ provider, apiKey, baseUrl }: CompiledModel): boolean =>
  provider === 'openai' && (apiKey !== undefined || baseUrl === undefined);

function neededBySpeech({ voiceAgentKind, speech, realtime }: CompiledAgent): NeededKey[] {
  if (voiceAgentKind === 'realtime') {
    return [{ name: keyName('openai', realtime?.apiKey), purpose: 'The speech-to-speech model of openai' }];
  }
  const needed = (purpose: string, declared: readonly { provider: SpeechProvider; apiKey?: SecretReference }[]) =>
    declared.flatMap(({ provider, apiKey }) =>
      provider === 'local' ? [] : [{ name: keyName(provider, apiKey), purpose: `${purpose} by ${provider}` }],
    );
  return [...needed('Recognition', speech?.recognition ?? []), ...needed('Speech', speech?.synthesis ?? [])];
}
