/**
 * `npm run soak -- unkind`: written and spoken conversations with providers that have the manners of real ones, once for each seed; what
 * came of them in test/bench/results/unkind.json, unkind-shipped.json, unkind-spoken.json and docs/performance.md. Fails when anything was not as it must be, or a
 * manner was seen too rarely.
 */
import { watchForeignWork } from '../../test/bench/foreign-work.ts';
import { writePage, writeResult } from '../../test/bench/results.ts';
import type { Figure } from '../../test/bench/row.ts';
import { rows } from '../../test/bench/rows.ts';
import { figureOf, oneFigure } from '../../test/bench/statistics.ts';
import { machine, versions } from '../../test/bench/versions.ts';
import type { UnkindFault } from '../../test/unkind/fault.ts';
import { type SpokenResult, spokenUtterances } from '../../test/unkind/spoken.ts';
import { textConversations, type UnkindResult } from '../../test/unkind/text.ts';
import { Fault } from '../toolchain/fault.ts';
import { readArguments } from '../toolchain/script.ts';

const help = `Usage: npm run soak -- unkind [--only written|shipped|spoken] [--conversations 500] [--utterances 300] [--seed 1 --seed 2] [--at-once 4]

Written conversations with a model timeout of 1 s, the same with what an agent's file without one gets (shipped), and spoken utterances, with providers that behave as real ones do; the same seed draws the same manners.`;

/** What nobody notices as a pause. */
const mostSilentMs = 2_000;
/** Of what was missed, on the page; the file of the result has all. */
const mostShown = 10;
/** Rarer than this a manner proves nothing. */
const leastOften = 20;

interface Plan {
  halves: readonly Half[];
  conversations: number;
  utterances: number;
  seeds: number[];
  atOnce: number;
}

type Result = UnkindResult | SpokenResult;

/** In writing or aloud: each has a section of the page. */
interface Half {
  name: 'written' | 'shipped' | 'spoken';
  row: string;
  title: string;
  run(plan: Plan, seed: number): Promise<Result>;
  /** What the figures are of. */
  facts(results: readonly Result[]): string[];
}

const sumOf = <One extends Result>(results: readonly One[], count: (result: One) => number) =>
  results.reduce((sum, result) => sum + count(result), 0);

const inWriting = (timeout: string | undefined): Pick<Half, 'run' | 'facts'> => ({
  run: ({ conversations, atOnce }, seed) => textConversations({ conversations, seed, atOnce, mostSilentMs, timeout }),
  facts: (results) => {
    const all = results.filter((result) => 'unavailable' in result);
    return [
      `${sumOf(all, ({ conversations }) => conversations)} conversations of three texts, one of which calls a tool. A round is a seed.`,
      `Of the texts ${sumOf(all, ({ answered }) => answered)} were answered and ${sumOf(all, ({ unavailable }) => unavailable)} were told that the model is away, each as the manners it met leave it.`,
      `Silence is what the person notices: from their text to the first word, and between any two pieces of what they read, until they are told that the agent is at it. The agents' files have a filler, which comes after 1.5 s as shipped: ${sumOf(all, ({ fillers }) => fillers)} texts were answered after it, at the latest ${Math.max(...all.map(({ longestAnswerMs }) => longestAnswerMs))} ms after they were written.`,
      timeout === undefined
        ? 'The files name no model timeout, which is 30 s in writing then.'
        : `Model timeout ${timeout}.`,
    ];
  },
});

const written: Half = {
  ...{ name: 'written', row: 'unkind', title: 'Providers at their worst, in writing' },
  ...inWriting('1s'),
};

const shipped: Half = {
  ...{
    name: 'shipped',
    row: 'unkind-shipped',
    title: 'Providers at their worst, in writing, with the timeout as shipped',
  },
  ...inWriting(undefined),
};

const spoken: Half = {
  ...{ name: 'spoken', row: 'unkind-spoken', title: 'Providers at their worst, aloud' },
  run: ({ utterances, atOnce }, seed) => spokenUtterances({ utterances, seed, atOnce, mostSilentMs }),
  facts: (results) => {
    const all = results.filter((result) => 'utterances' in result);
    return [
      `${sumOf(all, ({ conversations }) => conversations)} conversations with ${sumOf(all, ({ utterances }) => utterances)} utterances, four at a time; recognition and voice are unkind, the model is kind. A round is a seed.`,
      `${sumOf(all, ({ fillers }) => fillers)} utterances heard the agent's filler before their answer.`,
      "Silence is what the person notices: from their last sound to the agent's first. Filler after 1 s.",
    ];
  },
};

export async function soakUnkind(args: string[]): Promise<void> {
  const plan = readPlan(args);
  if (!plan) return;
  const missed: string[] = [];
  for (const half of plan.halves) missed.push(...(await soak(half, plan)));
  if (missed.length > 0) throw new Fault(`Not as it must be: ${missed.join(', ')}.`);
}

/** Returns the figures that were missed. What came of each seed is kept after it: whoever ends it early has those that were run. */
async function soak(half: Half, plan: Plan): Promise<string[]> {
  const began = performance.now();
  const at = new Date().toISOString();
  const foreign = await watchForeignWork();
  const results: Result[] = [];
  let figures: Figure[] = [];
  for (const seed of plan.seeds) {
    const result = await half.run(plan, seed);
    report(`seed ${seed}, ${half.name}`, result);
    results.push(result);
    const tookSeconds = Math.round((performance.now() - began) / 1000);
    figures = await keep(half, results, { at, tookSeconds, share: await foreign() });
  }
  return figures.filter(({ met }) => met === false).map(({ name }) => `${half.name}: ${name}`);
}

interface Took {
  at: string;
  tookSeconds: number;
  /** Of the cores, by other programs. */
  share: number | undefined;
}

async function keep(half: Half, results: readonly Result[], { at, tookSeconds, share }: Took): Promise<Figure[]> {
  const { row, title } = half;
  const figures = figuresOf(half, results);
  const all = results.flatMap(({ seed, faults }) => faults.map(({ what }) => `Missed with seed ${seed}: ${what}.`));
  const more = all.length > mostShown ? [`Missed ${all.length - mostShown} times more.`] : [];
  const missed = [...all.slice(0, mostShown), ...more];
  const meanwhile =
    share === undefined ? [] : [`Meanwhile other programs took ${(100 * share).toFixed(0)} % of the cores.`];
  await writeResult({
    ...{ row, title, at, tookSeconds, pairs: results.length, machine: machine(), versions: await versions() },
    against: 'fixed limits; each manner of the stand-ins is one that users of real providers have told of',
    figures,
    notes: [...half.facts(results), ...meanwhile, ...missed],
    runs: results,
  });
  await writePage(rows.map(({ name }) => name));
  return figures;
}

function figuresOf({ name }: Half, results: readonly Result[]): Figure[] {
  const rarest = Math.min(...results.flatMap(({ manners }) => Object.values(manners)));
  const times = (figure: string, kind: UnkindFault['kind']) =>
    oneFigure(
      { name: figure, unit: 'times', target: { text: '0', atMost: 0 } },
      sumOf(results, ({ faults }) => faults.filter((fault) => fault.kind === kind).length),
    );
  return [
    times('words lost, split or not answered', 'words'),
    ...(name !== 'spoken' ? [times('second runs of a tool', 'tool')] : []),
    times('silences over 2 s', 'silence'),
    figureOf(
      { name: 'the longest silence', unit: 'ms' },
      results.map(({ longestSilenceMs }) => longestSilenceMs),
    ),
    oneFigure(
      { name: 'the rarest manner', unit: 'times', target: { text: `≥ ${leastOften}`, atLeast: leastOften } },
      rarest,
    ),
  ];
}

function readPlan(args: string[]): Plan | undefined {
  const { values } = readArguments({
    args,
    options: {
      only: { type: 'string' },
      conversations: { type: 'string', default: '500' },
      utterances: { type: 'string', default: '300' },
      seed: { type: 'string', multiple: true, default: ['1', '2'] },
      'at-once': { type: 'string', default: '4' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return void process.stdout.write(`${help}\n`);
  const whole = (name: string, value: string) => {
    const number = Number(value);
    if (!Number.isInteger(number) || number < 1) throw new Fault(`--${name} is "${value}": give a whole number.`);
    return number;
  };
  const halves = [written, shipped, spoken].filter(({ name }) => values.only === undefined || values.only === name);
  if (halves.length === 0) throw new Fault(`--only is "${values.only}": give written, shipped or spoken.`);
  return {
    halves,
    conversations: whole('conversations', values.conversations),
    utterances: whole('utterances', values.utterances),
    seeds: values.seed.map((seed) => whole('seed', seed)),
    atOnce: whole('at-once', values['at-once']),
  };
}

function report(what: string, { manners, faults, ...figures }: Result): void {
  const drawn = Object.entries(manners).map(([name, count]) => `  ${String(count).padStart(5)} × ${name}`);
  const wrong = faults.slice(0, 40).map((fault) => `  ! ${fault.kind}: ${fault.what}`);
  process.stdout.write(`${[`${what}: ${JSON.stringify(figures)}`, ...drawn, ...wrong].join('\n')}\n`);
}
