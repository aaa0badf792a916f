import * as elevenlabs from '@livekit/agents-plugin-elevenlabs';
import { pluginVoice } from '../../speech/plugin-voice.ts';
import type { Listener } from '../../speech/recognition.ts';
import type { RecognitionSettings, SynthesisSettings } from '../../speech/settings.ts';
import type { Voice } from '../../speech/voice.ts';

const recognitionModel = 'scribe_v2_realtime';
const synthesisModel = 'eleven_turbo_v2_5';

export function listener({ provider, apiKey, baseUrl, model, language, keywords }: RecognitionSettings): Listener {
  const engine = new elevenlabs.STT({
    apiKey,
    model: model ?? recognitionModel,
    languageCode: language,
    ...(baseUrl && { baseURL: baseUrl }),
    ...(keywords.length > 0 && { keyterms: [...keywords] }),
  });
  // A commit is answered by one `committed_transcript`.
  return { provider, stt: engine, answersOnce: true };
}

export function voice({ provider, apiKey, baseUrl, model, voice: named, language, speed }: SynthesisSettings): Voice {
  const engine = new elevenlabs.TTS({
    apiKey,
    model: model ?? synthesisModel,
    language,
    ...(named && { voiceId: named }),
    ...(baseUrl && { baseURL: baseUrl }),
    ...(speed !== 1 && {
      voiceSettings: { stability: 0.5, similarity_boost: 0.75, speed: Math.min(1.2, Math.max(0.7, speed)) },
    }),
  });
  return pluginVoice(provider, engine);
}
