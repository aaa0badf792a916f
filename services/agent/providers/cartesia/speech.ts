import * as cartesia from '@livekit/agents-plugin-cartesia';
import { pluginVoice } from '../../speech/plugin-voice.ts';
import type { Listener } from '../../speech/recognition.ts';
import type { RecognitionSettings, SynthesisSettings } from '../../speech/settings.ts';
import type { Voice } from '../../speech/voice.ts';

export function listener({ provider, apiKey, baseUrl, model, language }: RecognitionSettings): Listener {
  const engine = new cartesia.STT({ apiKey, language, ...(model && { model }), ...(baseUrl && { baseUrl }) });
  return { provider, stt: engine };
}

export function voice({ provider, apiKey, baseUrl, model, voice: named, language, speed }: SynthesisSettings): Voice {
  const engine = new cartesia.TTS({
    apiKey,
    language,
    ...(model && { model }),
    ...(named && { voice: named }),
    ...(baseUrl && { baseUrl }),
    ...(speed !== 1 && { speed: Math.min(1.5, Math.max(0.6, speed)) }),
  });
  return pluginVoice(provider, engine);
}
