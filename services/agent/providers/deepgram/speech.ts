import * as deepgram from '@livekit/agents-plugin-deepgram';
import { pluginVoice } from '../../speech/plugin-voice.ts';
import type { Listener } from '../../speech/recognition.ts';
import type { RecognitionSettings, SynthesisSettings } from '../../speech/settings.ts';
import type { Voice } from '../../speech/voice.ts';

const recognitionModel = 'nova-3';
/** Its voices are named with their language. */
const voices: Readonly<Record<string, string>> = {
  en: 'aura-2-andromeda-en',
  de: 'aura-2-viktoria-de',
  es: 'aura-2-celeste-es',
  fr: 'aura-2-agathe-fr',
  nl: 'aura-2-rhea-nl',
  it: 'aura-2-livia-it',
  ja: 'aura-2-izanami-ja',
};

export function listener({
  provider,
  apiKey,
  baseUrl,
  model = recognitionModel,
  language,
  keywords,
}: RecognitionSettings): Listener {
  const engine = new deepgram.STT({
    apiKey,
    model,
    language,
    // "Uh" and "mm-hm" are how people hesitate and listen: without them they come back as sounds that have no words.
    fillerWords: true,
    ...(baseUrl && { baseUrl: baseUrl.replace(/^http/u, 'ws') }),
    // Older models take weighted keywords instead of key terms.
    ...(model.startsWith('nova-3')
      ? { keyterm: [...keywords] }
      : { keywords: keywords.map((word): [string, number] => [word, 1]) }),
  });
  return { provider, stt: engine };
}

export function voice({ provider, apiKey, baseUrl, model, voice: named, language, speed }: SynthesisSettings): Voice {
  const engine = new deepgram.TTS({
    apiKey,
    model: named ?? model ?? voices[language.split('-')[0] ?? ''] ?? 'aura-2-andromeda-en',
    ...(baseUrl && { baseUrl }),
    ...(speed !== 1 && { speed: Math.min(1.5, Math.max(0.7, speed)) }),
  });
  return pluginVoice(provider, engine);
}
