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

/** As a WAV file; 48 kHz is what browsers take for a microphone. */
export function wavOf(samples: Int16Array, rate = 48_000): Buffer {
  const data = resampled(samples, microphoneRate, rate);
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + data.byteLength, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(data.byteLength, 40);
  return Buffer.concat([header, Buffer.from(data.buffer, data.byteOffset, data.byteLength)]);
}

export function joined(...parts: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

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
  return joined(...frames.map(({ data }) => data));
}

const isLoud = (sample: number) => Math.abs(sample) > 200;
/** Without the silence around it. */
export const trimmed = (samples: Int16Array) =>
  samples.slice(samples.findIndex(isLoud), samples.findLastIndex(isLoud) + 1);
