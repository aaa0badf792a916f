import { framesOf } from '../../speech/frames.ts';
import type { Voice } from '../../speech/voice.ts';
import { type Espeak, espeakSampleRate } from './espeak.ts';

export interface EspeakVoice {
  /** A name of espeak-ng's. */
  voice: string;
  speed: number;
}

/** espeak-ng as a voice: understandable and robotic. */
export function localVoice(espeak: Espeak, { voice, speed }: EspeakVoice): Voice {
  return {
    provider: 'local',
    model: voice,
    sampleRate: espeakSampleRate,
    speak: (text, signal) => framesOf(espeak.speak({ text, voice, speed, signal }), espeakSampleRate),
    close: async () => {},
  };
}
