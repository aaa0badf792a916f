import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { microphoneRate, resampled } from './speech-sound.ts';

const run = promisify(execFile);

/**
 * Voices of flite, put together from recordings of people (CMU ARCTIC): an American woman and man, and a Scottish man. Nothing of the
 * product was set up by them, and none of its engines speaks with them.
 */
export const recordedVoices = ['slt', 'rms', 'awb'] as const;
export type RecordedVoice = (typeof recordedVoices)[number];

/** Somebody saying this in English, at the rate of a microphone. */
export async function saidByRecordedVoice(text: string, voice: RecordedVoice): Promise<Int16Array> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-said-'));
  try {
    const file = join(folder, 'said.wav');
    await run('flite', ['-voice', voice, '-t', text, '-o', file]);
    const wav = await readFile(file);
    const samples = new Int16Array(wav.buffer.slice(wav.byteOffset + 44, wav.byteOffset + (wav.length & ~1)));
    return resampled(samples, wav.readUInt32LE(24), microphoneRate);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
