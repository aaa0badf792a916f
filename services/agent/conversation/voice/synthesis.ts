import type { tts } from '@livekit/agents';
import { type AudioFrame, AudioResampler } from '@livekit/rtc-node';
import { speakerRate } from '../../room/speaker.ts';

/** A stretch of sound; `begins` is the text that it begins to say, where the voice tells. */
export interface SpokenPiece {
  samples: Int16Array;
  begins?: string;
}

/** The words of one reply, as they come, to a voice. */
export interface VoiceStream extends AsyncIterable<SpokenPiece> {
  say(text: string): void;
  /** Whatever is there is said, although its sentence may not be whole. */
  sayNow(): void;
  /** No further words: the sound ends after the last of them. */
  end(): void;
  /** The rest is not wanted. */
  stop(): void;
}

/** Sound that was made before, at the rate the room takes. */
export function atSpeakerRate(sound: readonly AudioFrame[]): Int16Array[] {
  const rate = sound[0]?.sampleRate ?? speakerRate;
  if (rate === speakerRate) return sound.map(({ data }) => data);
  const resampler = new AudioResampler(rate, speakerRate, 1);
  const frames = [...sound.flatMap((frame) => resampler.push(frame)), ...resampler.flush()];
  resampler.close();
  return frames.map(({ data }) => data);
}

/** One reply by the voice of a session, at the rate the room takes. A voice that fails ends early; its error event says why. */
export function openVoiceStream(voice: tts.TTS): VoiceStream {
  const stream = voice.stream();
  const resampler = voice.sampleRate === speakerRate ? undefined : new AudioResampler(voice.sampleRate, speakerRate, 1);
  const samplesOf = (frames: AudioFrame[]) => frames.map(({ data }) => data);
  return {
    say: (text) => stream.pushText(text),
    sayNow: () => stream.flush(),
    end: () => stream.endInput(),
    stop: () => stream.close(),
    async *[Symbol.asyncIterator]() {
      for await (const audio of stream) {
        if (typeof audio === 'symbol') continue;
        const [samples = new Int16Array(0), ...more] = resampler
          ? samplesOf(resampler.push(audio.frame))
          : [audio.frame.data];
        yield audio.deltaText ? { samples, begins: audio.deltaText } : { samples };
        for (const rest of more) yield { samples: rest };
      }
      for (const samples of samplesOf(resampler?.flush() ?? [])) yield { samples };
      resampler?.close();
    },
  };
}
