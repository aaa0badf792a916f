import { join } from 'node:path';
import type { Logger } from '../../../process/logger.ts';
import type { Variables } from '../../../process/variables.ts';
import { settings } from '../../../settings/settings.ts';
import { EngineProgram } from './engine-program.ts';
import { Espeak } from './espeak.ts';
import { NaturalSpeech } from './natural/natural-speech.ts';
import { onPath } from './on-path.ts';
import type { HearUtterance } from './recognition.ts';

const { python: pythonSetting, recognizer: recogniserSetting, models: modelsSetting } = settings.speech.settings;
const espeakProgram = 'espeak-ng';

/** The engines of this machine, shared by all conversations of a process. Each starts when it is first used. */
export interface LocalEngines {
  espeak: Espeak;
  /** Free dictation by the operator's own program. */
  dictation: EngineProgram | undefined;
  /** Recognition by the grammar of an agent's script. */
  byGrammar: EngineProgram | undefined;
  /** Whisper and Piper's voices, as far as they were fetched. */
  natural: NaturalSpeech;
  /** What was prepared for an agent and a language: it takes a while, and the next session finds it ready. */
  prepared: Map<string, Promise<HearUtterance>>;
  close(): Promise<void>;
}

export function openLocalEngines({ env, logger }: { env: Variables; logger: Logger }): LocalEngines {
  const command = env[recogniserSetting.name]?.trim().split(/\s+/u) ?? [];
  const python = env[pythonSetting.name];
  const [program, ...args] = command;
  const dictation = program && onPath(program, env) ? new EngineProgram([program, ...args], logger) : undefined;
  const script = join(import.meta.dirname, 'grammar_recogniser.py');
  const byGrammar = python && onPath(python, env) ? new EngineProgram([python, script], logger) : undefined;
  const natural = new NaturalSpeech(env[modelsSetting.name], logger);
  return {
    espeak: new Espeak(espeakProgram),
    dictation,
    byGrammar,
    natural,
    prepared: new Map(),
    close: async () => {
      await Promise.all([dictation?.close(), byGrammar?.close(), natural.close()]);
    },
  };
}
