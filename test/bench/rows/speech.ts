import { readFile } from 'node:fs/promises';
import { AudioFrame } from '@livekit/rtc-node';
import type { Speech } from '../../../services/agent/speech/speech.ts';
import { type RecordedVoice, recordedVoices, saidByRecordedVoice } from '../../support/people/recorded-voices.ts';
import { joined, microphoneRate, noise, spoken } from '../../support/people/speech-sound.ts';
import type { Figure, Measured, Row, RowOptions, Target } from '../row.ts';
import { isMet } from '../row.ts';
import { openBenchEngines, saidBy } from '../speech/engines.ts';
import { withoutNoise } from '../speech/noise-suppression.ts';
import { added, nothing, type Score, scoreOf } from '../speech/score.ts';
import { heldOut, tunedOn } from '../speech/sentences.ts';
import {
  cough,
  hiss,
  music,
  randomFrom,
  rate,
  type Sound,
  surroundings,
  toSamples,
  toSound,
} from '../speech/surroundings.ts';

const seed = 16;
const wordlessSeconds = 600;
const pieceSeconds = 5;
/** A sentence with more words wrong than that, or without its first or last one, is told while it runs. */
const mostUnremarked = 3;

/** Recognition and voices of this machine on a set that is made from a seed; the grammar, which was all there was, beside them. */
export const speech: Row = {
  name: 'speech',
  title: 'Speech on this machine: words understood of free sentences, and how long it takes',
  against: 'the grammar, on the same sounds in the same run',
  limitMinutes: 30,
  run: measure,
};

async function measure({ smoke, say }: RowOptions): Promise<Measured> {
  const { natural, grammar, close } = await openBenchEngines(say);
  const known = smoke ? tunedOn.slice(0, 2) : tunedOn;
  // A trial of the bench leaves the half alone that is reported.
  const chosen = smoke ? known : heldOut;
  const firstSounds: number[] = [];
  const voices = await Promise.all(['en-gb+f3', 'en-us+m3'].map((voice) => robots(chosen, voice)));
  const joe: Int16Array[] = [];
  for (const text of known) joe.push(await saidBy(natural, text, (ms) => firstSounds.push(ms)));
  const people: Int16Array[] = [];
  for (const [at, text] of chosen.entries()) people.push(await saidByRecordedVoice(text, clearVoices[at % 2] ?? 'slt'));
  const figures: Figure[] = [];
  const latencies: { ms: number; seconds: number }[] = [];
  const talk = toSound((await spoken(tunedOn.join(' '), { voice: 'en-gb' })).slice(0, 20 * rate));
  for (const [where, change] of Object.entries(surroundings(talk))) {
    const random = randomFrom(seed);
    const sounds = people.map((sound) => toSamples(change(toSound(sound), random)));
    const score = await scored(natural, chosen, sounds, latencies, say);
    const target = targets[where];
    figures.push(rated(`word error, ${where}`, score, target));
    say(`${where}: ${JSON.stringify(score)}`);
    if (noisy.has(where)) {
      const suppressed = await scored(natural, chosen, sounds.map(withoutNoise));
      figures.push(rated(`word error, ${where}, noise suppressed`, suppressed, undefined));
    }
    if (where !== 'clean') continue;
    const ends = (100 * score.lostAtEnds) / (2 * chosen.length);
    figures.push(figure('words lost at the ends, clean', '%', ends, { text: '≤ 0.5 %', atMost: 0.5 }));
    figures.push(rated('word error, clean, the grammar', await scored(grammar, chosen, sounds), undefined));
    const others = {
      'a robot (en-gb+f3)': [chosen, voices[0]],
      'a robot (en-us+m3)': [chosen, voices[1]],
      'a Scottish man (awb)': [chosen, await allSaid(chosen, 'awb')],
      'the half tuned on (Joe)': [known, joe],
    } as const;
    for (const [voice, [texts, sounds = []]] of Object.entries(others))
      figures.push(rated(`word error, clean, ${voice}`, await scored(natural, texts, sounds), undefined));
  }
  figures.push(await wordless(natural, smoke ? 15 : wordlessSeconds, say));
  figures.push(...timesOf(latencies, firstSounds));
  figures.push(...(await memory()));
  await close();
  return { figures, notes };
}

const notes = [
  `Synthetic, from a seed. The half that is reported has ${heldOut.length} sentences by a woman's and a man's voice of flite (slt, rms), put together from recordings of people and used for nothing else here; other rows are named for their voices. The half tuned on has ${tunedOn.length} other sentences by the voice Joe of Piper, by which it was decided how much silence Whisper is given.`,
  `Free sentences, in no agent's phrases; wordless sounds are hiss, hum, music and coughs in pieces of ${pieceSeconds} s. Latency is of whole utterances, one at a time.`,
  "Noise suppression is WebRTC's, of the room client's native library; Whisper was trained on sound with its noise.",
];

const clearVoices = recordedVoices.filter((voice) => voice !== 'awb');

async function allSaid(texts: readonly string[], voice: RecordedVoice): Promise<Int16Array[]> {
  const said: Int16Array[] = [];
  for (const text of texts) said.push(await saidByRecordedVoice(text, voice));
  return said;
}

const noisy = new Set(['speakerphone', 'somebody talks in the background', 'music in the background']);

const targets: Readonly<Record<string, Target>> = {
  clean: { text: '≤ 15 %', atMost: 15 },
  'telephone, µ-law at 8 kHz': { text: '≤ 30 %', atMost: 30 },
};

async function robots(texts: readonly string[], voice: string): Promise<Int16Array[]> {
  const said: Int16Array[] = [];
  for (const text of texts) said.push(await spoken(text, { voice }));
  return said;
}

async function heard({ stt }: Speech, sound: Int16Array): Promise<string> {
  const samples = joined(noise(400, 30), sound, noise(300, 30));
  const { alternatives } = await stt.recognize(new AudioFrame(samples, microphoneRate, 1, samples.length));
  return alternatives?.[0].text ?? '';
}

async function scored(
  by: Speech,
  texts: readonly string[],
  sounds: readonly Int16Array[],
  latencies: { ms: number; seconds: number }[] = [],
  say: (line: string) => void = () => undefined,
): Promise<Score> {
  let score = nothing;
  for (const [at, text] of texts.entries()) {
    const sound = sounds[at] ?? new Int16Array(0);
    const began = performance.now();
    const words = await heard(by, sound);
    latencies.push({ ms: performance.now() - began, seconds: sound.length / microphoneRate });
    const one = scoreOf(text, words);
    if (one.errors > mostUnremarked || one.lostAtEnds > 0) say(`  "${text}" was heard as "${words}"`);
    score = added(score, one);
  }
  return score;
}

async function wordless(by: Speech, seconds: number, say: (line: string) => void): Promise<Figure> {
  const random = randomFrom(seed);
  const length = pieceSeconds * rate;
  const kinds: (() => Sound)[] = [
    () => hiss(length, random).map((value) => 0.1 * value),
    () => music(length).map((value) => 0.1 * value),
    () => cough(length, random).map((value) => 0.5 * value),
    () => Float32Array.from({ length }, (_, at) => 0.2 * Math.sin(at / 20)),
    () => hiss(length, random).map((value) => 0.0005 * value),
  ];
  let words = 0;
  for (let piece = 0; piece < seconds / pieceSeconds; piece += 1) {
    const text = await heard(by, toSamples(kinds[piece % kinds.length]?.() ?? new Float32Array(length)));
    if (text) say(`wordless ${piece % kinds.length}: ${text}`);
    words += text.split(' ').filter(Boolean).length;
  }
  return figure(`words from ${seconds / 60} minutes without any`, 'words', words, { text: 'none', atMost: 0 });
}

const rated = (name: string, { words, errors }: Score, target: Target | undefined): Figure =>
  figure(name, '%', (100 * errors) / words, target);

function figure(name: string, unit: string, value: number, target?: Target): Figure {
  const rounded = Math.round(10 * value) / 10;
  return { name, unit, value: rounded, ...(target && { target, met: isMet(rounded, target) }) };
}

function timesOf(latencies: readonly { ms: number; seconds: number }[], firstSounds: readonly number[]): Figure[] {
  const at = (values: readonly number[], share: number) =>
    values.toSorted((one, other) => one - other)[Math.floor(share * (values.length - 1))] ?? 0;
  const ms = latencies.map((one) => one.ms);
  const factor =
    ms.reduce((sum, one) => sum + one, 0) / latencies.reduce((sum, { seconds }) => sum + 1_000 * seconds, 0);
  return [
    figure('recognition of an utterance, p50', 'ms', at(ms, 0.5), { text: '≤ 500 ms', atMost: 500 }),
    figure('recognition of an utterance, p95', 'ms', at(ms, 0.95)),
    figure('recognition, seconds for 100 s of speech', 's', 100 * factor),
    figure('first sound of a sentence, p50', 'ms', at(firstSounds, 0.5), { text: '≤ 300 ms', atMost: 300 }),
    figure('first sound of a sentence, p95', 'ms', at(firstSounds, 0.95)),
  ];
}

/** Resident, of the two programs: they are children of this process. */
async function memory(): Promise<Figure[]> {
  const children = await readFile(`/proc/self/task/${process.pid}/children`, 'utf8').catch(() => '');
  const figures = children
    .split(' ')
    .filter(Boolean)
    .map(async (pid) => {
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8');
      const name = /whisper|piper/.exec(command)?.[0];
      const resident = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1];
      return name && resident
        ? [figure(`memory of ${name === 'piper' ? 'Piper' : 'Whisper'}`, 'MB', Number(resident) / 1_024)]
        : [];
    });
  return (await Promise.all(figures)).flat();
}
