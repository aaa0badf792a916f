import { loadEndOfTurn } from '../../../services/agent/conversation/voice/end-of-turn.ts';
import { type RecordedVoice, saidByRecordedVoice } from '../../support/people/recorded-voices.ts';
import { joined, microphoneRate } from '../../support/people/speech-sound.ts';
import type { Figure, Measured, Row, RowOptions } from '../row.ts';
import { type BenchEngines, openBenchEngines, saidBy } from '../speech/engines.ts';
import { type Disturbed, speakOver } from '../speech/over.ts';
import { cough, music, randomFrom, type Sound, toSamples, toSound } from '../speech/surroundings.ts';
import { reportedTurns, type TurnSet, type Turns, tunedTurns } from '../speech/turn-set.ts';
import { type Heard, hearTurn, quiet, type TurnEnds, type Voice } from '../speech/turns.ts';
import { oneFigure, quantile } from '../statistics.ts';

const seed = 16;
/** Whoever waits longer for the end of a finished turn calls it slow. */
const lateMs = 1_000;
/** A hold is over by then, or never. */
const settleMs = 2_500;
const sounds = { full: { coughs: 5, talks: 4, musics: 3 }, smoke: { coughs: 1, talks: 1, musics: 1 } };

/** When a turn is over, and what makes a speaking agent fall silent, on a set that is made from a seed and heard in real time. */
export const speechTurns: Row = {
  name: 'speech-turns',
  title: 'Speech on this machine: when a turn is over, and what silences the agent',
  against: 'turns judged by their sound alone, and the grammar, on the same sounds in the same run',
  limitMinutes: 30,
  run: measure,
};

async function measure({ smoke, say }: RowOptions): Promise<Measured> {
  const engines = await openBenchEngines(say);
  await loadEndOfTurn();
  const random = randomFrom(seed);
  // Nobody waits for an engine to load.
  await hearTurn(['Good morning.'], recorded('rms'), engines.natural, random);
  const joe: Voice = (text) => saidBy(engines.natural, text);
  const chosen = smoke ? firstOfEach(tunedTurns) : reportedTurns;
  const voices = (['slt', 'rms'] as const).map((voice) => recorded(voice));
  const hear = { engines, random, say };
  const reported = await hearAll(chosen, smoke ? [joe] : voices, hear);
  const tuned = smoke ? reported : await hearAll(tunedTurns, [joe], hear);
  const figures = [
    ...turnFigures(reported, ''),
    ...totals(tuned, ', the half tuned on'),
    ...(await overFigures(chosen, smoke ? [joe] : voices, { ...hear, counts: smoke ? sounds.smoke : sounds.full })),
  ];
  await engines.close();
  return { figures, notes: notesOf(chosen) };
}

const recorded =
  (voice: RecordedVoice): Voice =>
  (text) =>
    saidByRecordedVoice(text, voice);

interface Hearing {
  engines: BenchEngines;
  random: () => number;
  say(line: string): void;
}

/** By what is hard about them: those that go on, and those that are finished. */
interface HeardSet {
  goingOn: Readonly<Record<string, readonly Heard[]>>;
  finished: Readonly<Record<string, readonly Heard[]>>;
}

async function hearAll({ goingOn, finished }: Turns, voices: readonly Voice[], hearing: Hearing): Promise<HeardSet> {
  return { goingOn: await hearSet(goingOn, voices, hearing), finished: await hearSet(finished, voices, hearing) };
}

async function hearSet(set: TurnSet, voices: readonly Voice[], { engines, random, say }: Hearing) {
  const heard: Record<string, Heard[]> = {};
  let turn = 0;
  for (const [kind, turns] of Object.entries(set)) {
    heard[kind] = [];
    for (const parts of turns) {
      const one = await hearTurn(parts, voiceFor(turn, voices), engines.natural, random);
      turn += 1;
      heard[kind].push(one);
      say(
        `${kind}: ${parts.join(' … ')} → "${one.text}" by words ${shown(one.byWords)}, by sound ${shown(one.bySound)}`,
      );
    }
  }
  return heard;
}

const shown = ({ isEarly, afterMs }: TurnEnds) => `${isEarly ? 'early, ' : ''}${Math.round(afterMs)} ms`;

function voiceFor(turn: number, voices: readonly Voice[]): Voice {
  const voice = voices[turn % voices.length];
  if (!voice) throw new Error('nobody speaks');
  return voice;
}

function turnFigures(set: HeardSet, of: string): Figure[] {
  const early = Object.entries(set.goingOn).flatMap(([kind, heard]) => [
    share(`cut in on: ${kind}${of}`, heard, ({ byWords }) => byWords.isEarly),
    share(`cut in on: ${kind}${of}, by sound alone`, heard, ({ bySound }) => bySound.isEarly),
  ]);
  const late = Object.entries(set.finished).map(([kind, heard]) =>
    share(`answered late: ${kind}${of}`, heard, ({ byWords }) => byWords.afterMs > lateMs),
  );
  return [...totals(set, of), ...early, ...late, ...waits(set, of)];
}

function totals(set: HeardSet, of: string): Figure[] {
  const [goingOn, finished] = [Object.values(set.goingOn).flat(), Object.values(set.finished).flat()];
  return [
    share(`turns ended too early${of}`, goingOn, ({ byWords }) => byWords.isEarly),
    share(`turns ended too early${of}, by sound alone`, goingOn, ({ bySound }) => bySound.isEarly),
    share(`turns ended too late${of}`, finished, ({ byWords }) => byWords.afterMs > lateMs),
    share(`turns ended too late${of}, by sound alone`, finished, ({ bySound }) => bySound.afterMs > lateMs),
  ];
}

function waits({ finished }: HeardSet, of: string): Figure[] {
  const all = Object.values(finished).flat();
  const wait = (how: 'byWords' | 'bySound', part: number) =>
    quantile(
      all.map((heard) => heard[how].afterMs),
      part,
    );
  return [
    oneFigure({ name: `a finished turn can be answered after${of}, p50`, unit: 'ms' }, wait('byWords', 0.5)),
    oneFigure({ name: `a finished turn can be answered after${of}, p95`, unit: 'ms' }, wait('byWords', 0.95)),
    oneFigure(
      { name: `a finished turn can be answered after${of}, by sound alone, p50`, unit: 'ms' },
      wait('bySound', 0.5),
    ),
  ];
}

const share = <Of>(name: string, of: readonly Of[], is: (one: Of) => boolean): Figure =>
  oneFigure({ name: `${name} (of ${of.length})`, unit: '%' }, (100 * of.filter(is).length) / Math.max(1, of.length));

interface Over extends Hearing {
  counts: (typeof sounds)['full'];
}

async function overFigures(turns: Turns, voices: readonly Voice[], over: Over): Promise<Figure[]> {
  const { counts, random } = over;
  const said = async (texts: readonly string[]) => {
    const all: Sound[] = [];
    for (const [at, text] of texts.entries()) all.push(toSound(await voiceFor(at, voices)(text)));
    return all;
  };
  const length = 2 * microphoneRate;
  const talk = await said(Array.from({ length: counts.talks }, (_, at) => besides[at % besides.length] ?? ''));
  const unmeant = {
    'a cough': Array.from({ length: counts.coughs }, () => cough(length, random).map((value) => 0.5 * value)),
    '"mm-hm", "okay"': await said(turns.listening),
    'somebody talks in the background, 25 dB lower': talk.map((sound) => sound.map((value) => 0.056 * value)),
    'music in the background': Array.from({ length: counts.musics }, () => music(length).map((value) => 0.05 * value)),
  };
  const figures: Figure[] = [];
  for (const [what, all] of Object.entries(unmeant)) {
    const disturbed = await heardOver(what, all, over);
    for (const [by, those] of Object.entries(disturbed)) {
      figures.push(share(`falls silent for a moment: ${what}${by}`, those, ({ heldMs }) => heldMs > 0));
      figures.push(share(`stops: ${what}${by}`, those, ({ isStopped }) => isStopped));
    }
  }
  const meant = await heardOver('meant', await said(turns.meant), over);
  for (const [by, those] of Object.entries(meant))
    figures.push(share(`goes on although it is meant to stop${by}`, those, ({ isStopped }) => !isStopped));
  return figures;
}

const besides = [
  'and then we went home, because it was raining all day',
  'the second half of the game was much better than the first',
  'I told him that it would not work without a new battery',
  'she has been living there for more than twenty years',
];

/** With Whisper, and with the grammar beside it. */
async function heardOver(what: string, all: readonly Sound[], { engines, random, say }: Over) {
  const [natural, grammar]: [Disturbed[], Disturbed[]] = [[], []];
  for (const sound of all) {
    const samples = joined(quiet(500, random), toSamples(sound), quiet(settleMs, random));
    const [one, other] = await speakOver(samples, [engines.natural, engines.grammar]);
    if (one) natural.push(one);
    if (other) grammar.push(other);
    say(`${what}: ${JSON.stringify(one)}; the grammar: ${JSON.stringify(other)}`);
  }
  return { '': natural, ', the grammar': grammar };
}

function firstOfEach(turns: Turns): Turns {
  const first = (set: TurnSet) => Object.fromEntries(Object.entries(set).map(([kind, all]) => [kind, all.slice(0, 1)]));
  return {
    goingOn: first(turns.goingOn),
    finished: first(turns.finished),
    meant: turns.meant.slice(0, 1),
    listening: turns.listening.slice(0, 1),
  };
}

const notesOf = (turns: Turns) => [
  `Synthetic, from a seed, heard in real time by the product's own turn detection. The half that is reported is said by a woman's and a man's voice of flite (slt, rms), put together from recordings of people; the half tuned on has other sentences, by the voice Joe of Piper. Nothing was set up by the former.`,
  `Too early: the turn ended in one of the pauses of 0.8 to 1.5 s within it, so that the agent would cut in. Too late: more than ${lateMs / 1_000} s after the last word of a finished turn. By sound alone is what the product did before it asked the words: voice detection, and the melody of utterances up to 1.2 s.`,
  `Each part of a turn is synthesised by itself, with the melody of a finished sentence: by the sound there is less to hear than with people. A pause in a sentence whose words could be all of it is not seen by the words.`,
  `Over the agent: ${turns.listening.length} ways of listening and ${turns.meant.length} of stopping it; the conversation's own rules decide, and the agent is in the middle of a long answer.`,
];
