import { cartesia } from './cartesia/provider.ts';
import { deepgram } from './deepgram/provider.ts';
import { elevenlabs } from './elevenlabs/provider.ts';
import { local } from './local/provider.ts';
import { openai } from './openai/provider.ts';
import type { Provider } from './provider.ts';
import { scripted } from './scripted/provider.ts';

/** Every provider, in the order in which schemas and docs name them. After a change: `npm run generate`. */
export const providers: readonly Provider[] = [scripted, local, deepgram, elevenlabs, cartesia, openai];

/** Models that people ask for and that no folder here provides: validation says so instead of taking them for a slip. */
export const modelsNotBuiltIn: readonly string[] = ['google', 'anthropic'];

/** Undefined for one that this release does not have; a version stored by another release may name it. */
export const providerNamed = (name: string): Provider | undefined =>
  providers.find((provider) => provider.name === name);
