import { espeakVoice } from '../../../agent-files/definition/espeak-voices.ts';
import { isPiperVoice, speechModelNamed } from '../../../agent-files/definition/speech-models.ts';
import type { Listener } from '../../speech/recognition.ts';
import type { RecognitionSettings, SpeechHost, SynthesisSettings } from '../../speech/settings.ts';
import type { Voice } from '../../speech/voice.ts';
import { localRecognition } from './hearing.ts';
import { piperVoice } from './natural/piper-voice.ts';
import { localVoice } from './synthesis.ts';

export const listener = async (
  settings: RecognitionSettings,
  { definition, engines }: SpeechHost,
): Promise<Listener> => ({ provider: settings.provider, stt: await localRecognition(definition, settings, engines) });

/** A voice of Piper's where it was fetched and none of espeak-ng's is asked for. */
export async function voice(settings: SynthesisSettings, host: SpeechHost): Promise<Voice> {
  const { voice: named, language, speed } = settings;
  const { natural, espeak } = host.engines;
  const name = named !== undefined && isPiperVoice(named) ? named : undefined;
  const fetched = named === name ? natural.voice({ language, name }) : undefined;
  if (fetched) return piperVoice({ natural, espeak, logger: host.logger, ...fetched, language, speed });
  return localVoice(espeak, { voice: await nameOf(settings, host), speed });
}

/** A voice that this machine lacks would fail with every sentence: the language's own speaks instead. */
async function nameOf({ voice, language }: SynthesisSettings, { engines, logger }: SpeechHost): Promise<string> {
  if (voice === undefined) return espeakVoice(language);
  if (isPiperVoice(voice)) return insteadOf(voice, language);
  if (await engines.espeak.hasVoice(voice)) return voice;
  logger.warn({ voice, language }, 'espeak-ng has no voice of this name; the default one of the language speaks');
  return espeakVoice(language);
}

/** A voice that was not fetched, or not yet: espeak-ng's of the language, a woman's (a variant of it) for a woman's. */
const insteadOf = (voice: string, language: string): string =>
  speechModelNamed(voice)?.voice?.gender === 'female' ? `${espeakVoice(language)}+f3` : espeakVoice(language);
