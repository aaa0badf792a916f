import * as openai from '@livekit/agents-plugin-openai';
import OpenAI from 'openai';
import { framesOf } from '../../speech/frames.ts';
import type { Listener } from '../../speech/recognition.ts';
import type { RecognitionSettings, SynthesisSettings } from '../../speech/settings.ts';
import type { Voice } from '../../speech/voice.ts';

const recognitionModel = 'gpt-4o-mini-transcribe';
const synthesisModel = 'gpt-4o-mini-tts';
const defaultVoice = 'alloy';
const sampleRate = 24_000;

/** Reads nothing from the environment, and logs nothing: its log lines would quote people. */
const clientOf = (apiKey: string, baseUrl: string | undefined): OpenAI =>
  new OpenAI({
    apiKey,
    // Null is OpenAI's own address; undefined would be read from the environment.
    baseURL: baseUrl ?? null,
    organization: null,
    project: null,
    maxRetries: 0,
    logLevel: 'off',
  });

export function listener({ provider, apiKey, baseUrl, model, language, keywords }: RecognitionSettings): Listener {
  const engine = new openai.STT({
    apiKey,
    client: clientOf(apiKey, baseUrl) as never,
    model: model ?? recognitionModel,
    language,
    detectLanguage: false,
    useRealtime: false,
    ...(keywords.length > 0 && { prompt: `Names and words: ${keywords.join(', ')}.` }),
  });
  return { provider, stt: engine };
}

/**
 * The request that the plugin makes, sound as it comes: the plugin itself (1.9.0) waits for the whole sentence, and a failure of it
 * is an unhandled rejection.
 */
export function voice({
  provider,
  apiKey,
  baseUrl,
  model = synthesisModel,
  voice: named = defaultVoice,
  speed,
}: SynthesisSettings): Voice {
  const client = clientOf(apiKey, baseUrl);
  return {
    provider,
    model,
    sampleRate,
    isAway: true,
    async *speak(sentence, signal) {
      const request = { input: sentence, model, voice: named, speed, response_format: 'pcm' as const };
      const { body } = await client.audio.speech.create(request, { signal });
      if (body) yield* framesOf(body as unknown as AsyncIterable<Uint8Array>, sampleRate);
    },
    close: async () => {},
  };
}
