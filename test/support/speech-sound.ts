import { spawn } from 'node:child_process';
import { AudioFrame, AudioResampler } from '@livekit/rtc-node';

/** What a microphone sends: 16-bit mono. */
export const microphoneRate = 16_000;

/** Somebody saying this, by espeak-ng: the sound without the silence around it. */
export async function spoken(text: string, { voice = 'en-us' }: { voice?: string } = {}): Promise<Int16Array> {
  const wav = await espeak(text, voice);
  const rate = wav.readUInt32LE(24);
  const samples = new Int16Array(wav.buffer.slice(wav.byteOffset + 44, wav.byteOffset + (wav.length & ~1)));
  return trimmed(resampled(samples, rate, microphoneRate));
}

/** `ms` of white noise. */
export function noise(ms: number, loudness = 300): Int16Array {
  return Int16Array.from({ length: samplesIn(ms) }, () => (Math.random() * 2 - 1) * loudness);
}

export const silence = (ms: number): Int16Array => new Int16Array(samplesIn(ms));

const samplesIn = (ms: number): number => Math.round((ms * microphoneRate) / 1000);

function espeak(text: string, voice: string): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const child = spawn('espeak-ng', ['-v', voice, '--stdout', '--stdin']);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('error', reject);
  child.on('close', () => resolve(Buffer.concat(chunks)));
  child.stdin.end(text);
  return promise;
}

export function resampled(samples: Int16Array, from: number, to: number): Int16Array {
  if (from === to) return samples;
  const resampler = new AudioResampler(from, to, 1);
  const frames = [...resampler.push(new AudioFrame(samples, from, 1, samples.length)), ...resampler.flush()];
  resampler.close();
  const whole = new Int16Array(frames.reduce((sum, frame) => sum + frame.data.length, 0));
  let at = 0;
  for (const { data } of frames) {
    whole.set(data, at);
    at += data.length;
  }
  return whole;
}

const isLoud = (sample: number) => Math.abs(sample) > 200;
const trimmed = (samples: Int16Array) => samples.slice(samples.findIndex(isLoud), samples.findLastIndex(isLoud) + 1);
