import { espeakVoice } from '../../../agent-files/definition/espeak-voices.ts';
import type { Listener } from '../../speech/recognition.ts';
import type { RecognitionSettings, SpeechHost, SynthesisSettings } from '../../speech/settings.ts';
import type { Voice } from '../../speech/voice.ts';
import { localRecognition } from './hearing.ts';
import { localVoice } from './synthesis.ts';

export const listener = async (
  { provider, language }: RecognitionSettings,
  { definition, engines }: SpeechHost,
): Promise<Listener> => ({ provider, stt: await localRecognition(definition, language, engines) });

export const voice = async (settings: SynthesisSettings, host: SpeechHost): Promise<Voice> =>
  localVoice(host.engines.espeak, { voice: await nameOf(settings, host), speed: settings.speed });

/** A voice that this machine lacks would fail with every sentence: the language's own speaks instead. */
async function nameOf({ voice, language }: SynthesisSettings, { engines, logger }: SpeechHost): Promise<string> {
  if (voice === undefined) return espeakVoice(language);
  if (await engines.espeak.hasVoice(voice)) return voice;
  logger.warn({ voice, language }, 'espeak-ng has no voice of this name; the default one of the language speaks');
  return espeakVoice(language);
}
