import { microphoneRate } from './speech-sound.ts';

const frameSamples = microphoneRate * 0.04;
/** Voices are between these. */
const lowestHz = 60;
const highestHz = 400;
/** Softer frames, and those that repeat themselves less, are no vowels. */
const leastPower = 400 ** 2;
const leastLikeness = 0.7;

/** How high a voice is, in Hz: the median over its vowels, by autocorrelation. */
export function voicePitch(samples: Int16Array): number {
  const pitches: number[] = [];
  for (let from = 0; from + 2 * frameSamples <= samples.length; from += frameSamples) {
    const pitch = pitchOf(samples.subarray(from, from + 2 * frameSamples));
    if (pitch !== undefined) pitches.push(pitch);
  }
  return pitches.sort((a, b) => a - b)[pitches.length >> 1] ?? Number.NaN;
}

/** Of the first half of `samples`, compared with itself a little later. */
function pitchOf(samples: Int16Array): number | undefined {
  const power = product(samples, 0, 0);
  if (power / frameSamples < leastPower) return undefined;
  let best = { lag: 0, likeness: leastLikeness };
  for (let lag = Math.round(microphoneRate / highestHz); lag <= microphoneRate / lowestHz; lag += 1) {
    const likeness = product(samples, 0, lag) / Math.sqrt(power * product(samples, lag, lag));
    // Twice the period is as alike as once: the first one counts unless a later one is clearly better.
    if (likeness > best.likeness + 0.02) best = { lag, likeness };
  }
  return best.lag === 0 ? undefined : microphoneRate / best.lag;
}

const product = (samples: Int16Array, from: number, other: number): number => {
  let sum = 0;
  for (let at = 0; at < frameSamples; at += 1) sum += (samples[from + at] ?? 0) * (samples[other + at] ?? 0);
  return sum;
};
