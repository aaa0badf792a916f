import { AudioFrame } from '@livekit/rtc-node';
import type { Voice } from '../voice.ts';
import { type Espeak, espeakSampleRate } from './espeak.ts';

export interface EspeakVoice {
  /** A name of espeak-ng's. */
  voice: string;
  speed: number;
}

const frameSamples = espeakSampleRate / 50;

/** espeak-ng as a voice: understandable and robotic. */
export function localVoice(espeak: Espeak, { voice, speed }: EspeakVoice): Voice {
  return {
    provider: 'local',
    model: voice,
    sampleRate: espeakSampleRate,
    speak: (text, signal) => framesOf(espeak.speak({ text, voice, speed, signal })),
    close: async () => {},
  };
}

/** Frames of 20 ms. The last one is filled up with silence. */
async function* framesOf(pieces: AsyncIterable<Int16Array>): AsyncGenerator<AudioFrame> {
  let frame = new Int16Array(frameSamples);
  let filled = 0;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      const taken = piece.subarray(at, at + frameSamples - filled);
      frame.set(taken, filled);
      at += taken.length;
      filled += taken.length;
      if (filled < frameSamples) continue;
      yield new AudioFrame(frame, espeakSampleRate, 1, frameSamples);
      frame = new Int16Array(frameSamples);
      filled = 0;
    }
  }
  if (filled > 0) yield new AudioFrame(frame, espeakSampleRate, 1, frameSamples);
}
