import { AudioFrame } from '@livekit/rtc-node';

const framesPerSecond = 50;

/** Mono 16-bit sound that comes in pieces of any size, as frames of 20 ms. The last one is filled up with silence. */
export async function* framesOf(pieces: AsyncIterable<Uint8Array>, sampleRate: number): AsyncGenerator<AudioFrame> {
  const samples = sampleRate / framesPerSecond;
  let frame = Buffer.alloc(2 * samples);
  let filled = 0;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      const taken = piece.subarray(at, at + frame.length - filled);
      frame.set(taken, filled);
      at += taken.length;
      filled += taken.length;
      if (filled < frame.length) continue;
      yield frameOf(frame, sampleRate);
      frame = Buffer.alloc(2 * samples);
      filled = 0;
    }
  }
  if (filled > 0) yield frameOf(frame, sampleRate);
}

/** A copy, because a small buffer lies at any address in a shared one. */
function frameOf(bytes: Buffer, sampleRate: number): AudioFrame {
  const samples = new Int16Array(bytes.length / 2);
  Buffer.from(samples.buffer).set(bytes);
  return new AudioFrame(samples, sampleRate, 1, samples.length);
}
