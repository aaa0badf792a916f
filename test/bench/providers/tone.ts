/** Samples a second of what the provider says. */
export const toneRate = 24_000;

/** A tone that swells a little, as speech does, and never falls silent: a gap in it was made on its way. 16 bit, mono. */
export function tone(ms: number): Buffer {
  const samples = Int16Array.from({ length: Math.round((ms * toneRate) / 1000) }, (_, at) =>
    Math.round(6000 * Math.sin(at * 0.06) * (0.7 + 0.3 * Math.sin(at * 0.001))),
  );
  return Buffer.from(samples.buffer);
}

/** How much of a WAV file (16 bit, mono) is louder than silence. */
export function loudMsOf(wav: Buffer): number {
  const rate = wav.readUInt32LE(24);
  const data = wav.indexOf('data') + 8;
  return loudMsIn(new Int16Array(Uint8Array.from(wav.subarray(data, data + ((wav.length - data) & ~1))).buffer), rate);
}

/** The same of samples. */
export function loudMsIn(samples: Int16Array, rate: number): number {
  const window = Math.round(rate / 100);
  let loud = 0;
  for (let at = 0; at + window <= samples.length; at += window) {
    if (rms(samples.subarray(at, at + window)) > 300) loud += 10;
  }
  return loud;
}

export const rms = (samples: Int16Array): number => {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return Math.sqrt(sum / samples.length);
};
