/** What happens to a voice on its way to the microphone, computed from a seed: nobody was recorded. */
export const rate = 16_000;

export type Sound = Float32Array;
type Surroundings = (voice: Sound, random: () => number) => Sound;

/** The same numbers from the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const toSound = (samples: Int16Array): Sound => Float32Array.from(samples, (sample) => sample / 32_768);
export const toSamples = (sound: Sound): Int16Array =>
  Int16Array.from(sound, (value) => Math.round(32_767 * Math.max(-1, Math.min(1, value))));

const level = (sound: Sound): number => Math.sqrt(sound.reduce((sum, value) => sum + value * value, 0) / sound.length);

/** `other` so many decibels below the voice. */
function mixed(voice: Sound, other: Sound, decibelsBelow: number): Sound {
  const gain = level(voice) / (level(other) || 1) / 10 ** (decibelsBelow / 20);
  return voice.map((value, at) => value + gain * (other[at % other.length] ?? 0));
}

export const hiss = (length: number, random: () => number): Sound =>
  Float32Array.from({ length }, () => 2 * random() - 1);

/** A few thousand reflections that fade within 0.4 s. */
function inARoom(voice: Sound, random: () => number): Sound {
  const echoes = Array.from({ length: 400 }, () => {
    const delay = Math.floor(random() * 0.4 * rate);
    return { delay, gain: (0.12 * (2 * random() - 1)) / 10 ** ((3 * delay) / (0.4 * rate)) };
  });
  return voice.map((value, at) =>
    echoes.reduce((sum, { delay, gain }) => sum + gain * (voice[at - delay] ?? 0), value),
  );
}

/** Only what a small loudspeaker and its microphone let through. */
function narrow(voice: Sound): Sound {
  let [low, high, before] = [0, 0, 0];
  return voice.map((value) => {
    low += 0.6 * (value - low);
    high = 0.9 * (high + low - before);
    before = low;
    return high;
  });
}

/** As over the telephone: 8 kHz, and eight bits a sample by G.711's µ-law. */
function telephone(voice: Sound): Sound {
  const half = voice.map((value, at) => (value + (voice[at + 1] ?? value)) / 2);
  return half.map((_, at) => muLaw(((half[at - (at % 2)] ?? 0) + (half[at - (at % 2) + (at % 2 ? 2 : 0)] ?? 0)) / 2));
}

function muLaw(value: number): number {
  const mu = 255;
  const pressed = (Math.sign(value) * Math.log1p(mu * Math.min(1, Math.abs(value)))) / Math.log1p(mu);
  const stored = Math.round(pressed * 127) / 127;
  return (Math.sign(stored) * ((1 + mu) ** Math.abs(stored) - 1)) / mu;
}

export function music(length: number): Sound {
  const chords = [
    [220, 277, 330],
    [196, 247, 294],
    [175, 220, 262],
  ];
  return Float32Array.from({ length }, (_, at) => {
    const chord = chords[Math.floor(at / rate) % chords.length] ?? [];
    const fade = 1 - 0.6 * ((at % rate) / rate);
    return chord.reduce((sum, tone) => sum + fade * Math.sin((2 * Math.PI * tone * at) / rate), 0);
  });
}

/** Three bursts of noise that fade, as a cough is. */
export function cough(length: number, random: () => number): Sound {
  const noise = hiss(length, random);
  return noise.map((value, at) => value * [0.3, 0.7, 1.1].reduce((sum, from) => sum + burst(at / rate - from), 0));
}

const burst = (since: number): number => (since < 0 ? 0 : Math.exp(-since / 0.06));

export const surroundings = (talk: Sound): Readonly<Record<string, Surroundings>> => ({
  clean: (voice) => voice,
  'in a room': inARoom,
  'telephone, µ-law at 8 kHz': telephone,
  speakerphone: (voice, random) => mixed(narrow(inARoom(voice, random)), hiss(voice.length, random), 20),
  'somebody talks in the background': (voice) => mixed(voice, talk, 15),
  'music in the background': (voice) => mixed(voice, music(voice.length), 15),
});
