import { join } from 'node:path';
import type { Logger } from '../../../process/logger.ts';
import type { Variables } from '../../../process/variables.ts';
import { settings } from '../../../settings/settings.ts';
import { Espeak } from './espeak.ts';
import { onPath } from './on-path.ts';
import { Recogniser } from './recogniser.ts';
import type { HearUtterance } from './recognition.ts';

const { python: pythonSetting, recognizer: recogniserSetting } = settings.speech.settings;
const espeakProgram = 'espeak-ng';

/** The engines of this machine, shared by all conversations of a process. Each starts when it is first used. */
export interface LocalEngines {
  espeak: Espeak;
  /** Free dictation by the operator's own program. */
  dictation: Recogniser | undefined;
  /** Recognition by the grammar of an agent's script. */
  byGrammar: Recogniser | undefined;
  /** What was prepared for an agent and a language: it takes a while, and the next session finds it ready. */
  prepared: Map<string, Promise<HearUtterance>>;
  close(): Promise<void>;
}

export function openLocalEngines({ env, logger }: { env: Variables; logger: Logger }): LocalEngines {
  const command = env[recogniserSetting.name]?.trim().split(/\s+/u) ?? [];
  const python = env[pythonSetting.name];
  const [program, ...args] = command;
  const dictation = program && onPath(program, env) ? new Recogniser([program, ...args], logger) : undefined;
  const script = join(import.meta.dirname, 'grammar_recogniser.py');
  const byGrammar = python && onPath(python, env) ? new Recogniser([python, script], logger) : undefined;
  return {
    espeak: new Espeak(espeakProgram),
    dictation,
    byGrammar,
    prepared: new Map(),
    close: async () => {
      await Promise.all([dictation?.close(), byGrammar?.close()]);
    },
  };
}
