import type { SecretReference, SpeechProvider } from '../../../contract/agents/compiled.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a provider's key is looked for when an agent names no variable. */
export const usualKey: Readonly<Record<Exclude<SpeechProvider, 'local'>, string>> = {
  deepgram: 'DEEPGRAM_API_KEY',
  elevenlabs: 'ELEVEN_API_KEY',
  cartesia: 'CARTESIA_API_KEY',
  openai: 'OPENAI_API_KEY',
};

/** The environment variable that holds the key of a declared provider. */
export const keyName = (provider: Exclude<SpeechProvider, 'local'>, apiKey: SecretReference | undefined): string =>
  apiKey?.env ?? usualKey[provider];
