/**
 * `npm run soak -- unkind`: written and spoken conversations with providers that have the manners of real ones, once for each seed; what
 * came of them in test/bench/results/unkind.json and docs/performance.md. Fails when anything was not as it must be, or a manner
 * was seen too rarely.
 */
import { watchForeignWork } from '../../test/bench/foreign-work.ts';
import { writePage, writeResult } from '../../test/bench/results.ts';
import type { Figure, Measured } from '../../test/bench/row.ts';
import { rows } from '../../test/bench/rows.ts';
import { figureOf, oneFigure } from '../../test/bench/statistics.ts';
import { machine, versions } from '../../test/bench/versions.ts';
import type { UnkindFault } from '../../test/unkind/fault.ts';
import { type SpokenResult, spokenUtterances } from '../../test/unkind/spoken.ts';
import { textConversations, type UnkindResult } from '../../test/unkind/text.ts';
import { Fault } from '../toolchain/fault.ts';
import { readArguments } from '../toolchain/script.ts';

const help = `Usage: npm run soak -- unkind [--conversations 500] [--utterances 300] [--seed 1 --seed 2] [--at-once 4]

Written conversations and spoken utterances with providers that behave as real ones do; the same seed draws the same manners.`;

/** What nobody notices as a pause. */
const mostSilentMs = 2_000;
/** Rarer than this a manner proves nothing. */
const leastOften = 20;

interface Plan {
  conversations: number;
  utterances: number;
  seeds: number[];
  atOnce: number;
}

interface Run {
  text: UnkindResult;
  spoken: SpokenResult;
}

export async function soakUnkind(args: string[]): Promise<void> {
  const plan = readPlan(args);
  if (!plan) return;
  const began = performance.now();
  const at = new Date().toISOString();
  const foreign = await watchForeignWork();
  const runs: Run[] = [];
  let figures: Figure[] = [];
  for (const seed of plan.seeds) {
    runs.push(await runOf(plan, seed));
    const tookSeconds = Math.round((performance.now() - began) / 1000);
    figures = await keep(runs, { at, tookSeconds, share: await foreign() });
  }
  const missed = figures.filter(({ met }) => met === false).map(({ name }) => name);
  if (missed.length > 0) throw new Fault(`Not as it must be: ${missed.join(', ')}.`);
}

interface Took {
  at: string;
  tookSeconds: number;
  /** Of the cores, by other programs. */
  share: number | undefined;
}

/** After each seed: whoever ends it early has those that were run. */
async function keep(runs: readonly Run[], { at, tookSeconds, share }: Took): Promise<Figure[]> {
  const { figures, notes } = measuredIn(runs);
  if (share !== undefined) notes.push(`Meanwhile other programs took ${(100 * share).toFixed(0)} % of the cores.`);
  await writeResult({
    row: 'unkind',
    title: 'Providers at their worst',
    against: 'fixed limits; each manner of the stand-ins is one that users of real providers have told of',
    ...{ at, tookSeconds, pairs: runs.length, machine: machine(), versions: await versions(), figures, notes, runs },
  });
  await writePage(rows.map(({ name }) => name));
  return figures;
}

async function runOf({ conversations, utterances, atOnce }: Plan, seed: number): Promise<Run> {
  const text = await textConversations({ conversations, seed, atOnce, mostSilentMs });
  report(`seed ${seed}, ${conversations} written conversations`, text);
  const spoken = await spokenUtterances({ utterances, seed, atOnce, mostSilentMs });
  report(`seed ${seed}, ${utterances} spoken utterances`, spoken);
  return { text, spoken };
}

function measuredIn(runs: readonly Run[]): Measured {
  const written = figuresOf(
    'written',
    runs.map(({ text }) => text),
  );
  const spoken = figuresOf(
    'spoken',
    runs.map((run) => run.spoken),
  );
  const sum = (count: (run: Run) => number) => runs.reduce((all, run) => all + count(run), 0);
  const facts = [
    `${sum(({ text }) => text.conversations)} written conversations of three texts, one of which calls a tool; ${sum((run) => run.spoken.conversations)} spoken ones with ${sum((run) => run.spoken.utterances)} utterances. A round is a seed.`,
    `Of the texts ${sum(({ text }) => text.answered)} were answered and ${sum(({ text }) => text.unavailable)} were told that the model is away, each as the manners it met leave it; ${sum((run) => run.spoken.fillers)} utterances heard the agent's filler before their answer.`,
    'Silence is what the person notices: from their last sound or text to the first of the agent, and in writing between two replies. Model timeout 1 s; filler after 1 s.',
    ...runs.flatMap(({ text, spoken: said }) =>
      [...text.faults, ...said.faults].map(({ what }) => `Missed with seed ${text.seed}: ${what}.`),
    ),
  ];
  return { figures: [...written, ...spoken], notes: facts };
}

function figuresOf(how: string, results: readonly (UnkindResult | SpokenResult)[]): Figure[] {
  const rarest = Math.min(...results.flatMap(({ manners }) => Object.values(manners)));
  const counted = (kind: UnkindFault['kind']) =>
    results.map(({ faults }) => faults.filter((fault) => fault.kind === kind).length);
  const none = { text: '0', atMost: 0 };
  const total = (rounds: number[]) => rounds.reduce((sum, count) => sum + count, 0);
  return [
    oneFigure(
      { name: `${how}: words lost, split or not answered`, unit: 'times', target: none },
      total(counted('words')),
    ),
    ...(how === 'written'
      ? [oneFigure({ name: `${how}: second runs of a tool`, unit: 'times', target: none }, total(counted('tool')))]
      : []),
    oneFigure({ name: `${how}: silences over 2 s`, unit: 'times', target: none }, total(counted('silence'))),
    figureOf(
      { name: `${how}: the longest silence`, unit: 'ms' },
      results.map(({ longestSilenceMs }) => longestSilenceMs),
    ),
    oneFigure(
      { name: `${how}: the rarest manner`, unit: 'times', target: { text: `≥ ${leastOften}`, atLeast: leastOften } },
      rarest,
    ),
  ];
}

function readPlan(args: string[]): Plan | undefined {
  const { values } = readArguments({
    args,
    options: {
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
  return {
    conversations: whole('conversations', values.conversations),
    utterances: whole('utterances', values.utterances),
    seeds: values.seed.map((seed) => whole('seed', seed)),
    atOnce: whole('at-once', values['at-once']),
  };
}

function report(what: string, { manners, faults, ...figures }: UnkindResult | SpokenResult): void {
  const drawn = Object.entries(manners).map(([name, count]) => `  ${String(count).padStart(5)} × ${name}`);
  const wrong = faults.slice(0, 40).map((fault) => `  ! ${fault.kind}: ${fault.what}`);
  process.stdout.write(`${[`${what}: ${JSON.stringify(figures)}`, ...drawn, ...wrong].join('\n')}\n`);
}
