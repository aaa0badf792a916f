import { join } from 'node:path';
import type { Environment } from '../../../../contract/agents/provider-keys.ts';
import type { Logger } from '../../../../core/logger.ts';
import { Espeak } from './espeak.ts';
import { onPath } from './on-path.ts';
import { Recogniser } from './recogniser.ts';
import type { HearUtterance } from './recognition.ts';

/** A Python with PyPI's pocketsphinx; `npm start` and the image set it. */
const pythonVariable = 'PARLEY_SPEECH_PYTHON';
/** A program of the operator's own that speaks the protocol of docs/speech.md, with its arguments, separated by blanks. */
const recogniserVariable = 'PARLEY_SPEECH_RECOGNIZER';
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

export function openLocalEngines({ env, logger }: { env: Environment; logger: Logger }): LocalEngines {
  const command = env[recogniserVariable]?.trim().split(/\s+/u) ?? [];
  const python = env[pythonVariable];
  const [program, ...args] = command;
  const dictation = program ? new Recogniser([program, ...args], logger) : undefined;
  const script = join(import.meta.dirname, 'grammar_recogniser.py');
  const byGrammar = python ? new Recogniser([python, script], logger) : undefined;
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

/** Why this machine cannot speak by itself, or undefined when it can. */
export const localSynthesisProblem = (env: Environment): string | undefined =>
  onPath(espeakProgram, env)
    ? undefined
    : 'espeak-ng is not installed: install it (Debian: apt-get install espeak-ng), or name a provider under "speech".';

/** Why this machine cannot recognise speech, or undefined when it can. An agent with a script needs no free dictation. */
export function localRecognitionProblem(env: Environment, hasScript: boolean): string | undefined {
  if (env[recogniserVariable]?.trim()) return undefined;
  if (!env[pythonVariable] || !onPath(env[pythonVariable], env)) {
    return `No speech recognition is installed: let "npm start" set it up, name a program of your own in ${recogniserVariable} (docs/speech.md), or name a provider under "speech".`;
  }
  if (hasScript) return undefined;
  return `Local recognition knows only what an agent's "script" names, and there is none: name a program for free dictation in ${recogniserVariable} (docs/speech.md), or a provider under "speech".`;
}
