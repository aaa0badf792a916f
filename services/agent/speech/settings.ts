import type { CompiledAgent } from '../../agent-files/definition/compiled.ts';
import type { Logger } from '../../process/logger.ts';
import type { LocalEngines } from '../providers/local/engines.ts';
import type { Listener } from './recognition.ts';
import type { Voice } from './voice.ts';

/** What a provider recognises with; keys are values here. */
export interface RecognitionSettings {
  /** Its name, which failures carry. */
  provider: string;
  /** Empty where it takes none. */
  apiKey: string;
  baseUrl: string | undefined;
  model: string | undefined;
  language: string;
  keywords: readonly string[];
  /** Of this machine; undefined: the best that is there. */
  engine?: 'dictation' | 'grammar' | undefined;
}

/** What a provider speaks with. */
export interface SynthesisSettings {
  provider: string;
  apiKey: string;
  baseUrl: string | undefined;
  model: string | undefined;
  /** The provider's own name of it. */
  voice: string | undefined;
  language: string;
  speed: number;
}

/** What an engine of this machine needs beside its settings. */
export interface SpeechHost {
  definition: CompiledAgent;
  engines: LocalEngines;
  logger: Logger;
}

/** What the `speech.ts` of a provider exports. */
export interface SpeechMakers {
  listener(settings: RecognitionSettings, host: SpeechHost): Listener | Promise<Listener>;
  voice(settings: SynthesisSettings, host: SpeechHost): Voice | Promise<Voice>;
}
