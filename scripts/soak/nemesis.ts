/**
 * `npm run soak -- nemesis`: conversations while hosts stand still, ways to PostgreSQL break, its standby is promoted, networks fail and
 * clocks are wrong; what came of each seed in test/bench/results/nemesis.json and docs/performance.md. A seed in which anything was not as
 * it must be prints its history.
 */
import { writePage, writeResult } from '../../test/bench/results.ts';
import type { Figure } from '../../test/bench/row.ts';
import { rows } from '../../test/bench/rows.ts';
import { oneFigure } from '../../test/bench/statistics.ts';
import { machine, versions } from '../../test/bench/versions.ts';
import { describeFault, faultClasses } from '../../test/nemesis/faults.ts';
import { judges } from '../../test/nemesis/judges/judges.ts';
import { type Outcome, runSeed } from '../../test/nemesis/run-seed.ts';
import { drawSchedule } from '../../test/nemesis/schedule.ts';
import { allSeeds, committedSeeds } from '../../test/nemesis/seeds.ts';
import { type NemesisWorld, startNemesisWorld } from '../../test/nemesis/world.ts';
import { Fault } from '../toolchain/fault.ts';
import { readArguments } from '../toolchain/script.ts';

const help = `Usage: npm run soak -- nemesis [--all] [--seeds 1,3,4] [--worlds 1]

The ${committedSeeds.length} committed seeds, all ${allSeeds.length}, or those that are named; each takes about a minute. What is named alone is not kept.`;

/** Each is eight processes, two PostgreSQL servers and a room server. */
const mostWorlds = 8;
const say = (text: string) => void process.stdout.write(`${text}\n`);

interface Plan {
  seeds: readonly number[];
  worlds: number;
  isKept: boolean;
}

export async function soakNemesis(args: string[]): Promise<void> {
  const plan = readPlan(args);
  if (!plan) return;
  const began = { at: new Date().toISOString(), ms: performance.now() };
  const left = [...plan.seeds];
  const outcomes: Outcome[] = [];
  let hasNodes = true;
  const work = async () => {
    await using nemesis = await startNemesisWorld();
    hasNodes = nemesis.places.nodes !== undefined;
    for (let seed = left.shift(); seed !== undefined; seed = left.shift()) {
      const outcome = await runSeed(nemesis, drawSchedule(seed));
      outcomes.push(outcome);
      report(outcome, nemesis);
      // A run of an hour that is broken off leaves what it has seen.
      if (plan.isKept) await keep(plan, outcomes, began);
    }
  };
  await Promise.all(Array.from({ length: Math.min(plan.worlds, left.length) }, work));
  if (!hasNodes)
    say('This machine allows no network namespaces: faults of hosts and room server without network were left out.');
  for (const [name, times] of countsOf(outcomes)) say(`${String(times).padStart(5)} × ${name}`);
  const bad = outcomes.filter(({ violations }) => violations.length > 0).map(({ seed }) => seed);
  if (bad.length > 0)
    throw new Fault(`In ${bad.length} of ${outcomes.length} seeds something was not as it must be: ${bad.join(', ')}.`);
}

function readPlan(args: string[]): Plan | undefined {
  const { values } = readArguments({
    args,
    options: {
      all: { type: 'boolean', default: false },
      seeds: { type: 'string' },
      worlds: { type: 'string', default: '1' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return void say(help);
  const worlds = Number(values.worlds);
  if (!Number.isInteger(worlds) || worlds < 1 || worlds > mostWorlds)
    throw new Fault(`--worlds is "${values.worlds}": give a whole number up to ${mostWorlds}.`);
  if (values.seeds === undefined) return { seeds: values.all ? allSeeds : committedSeeds, worlds, isKept: true };
  const seeds = values.seeds.split(',').map(Number);
  if (!seeds.every((seed) => Number.isInteger(seed) && seed > 0))
    throw new Fault(`--seeds is "${values.seeds}": give whole numbers with commas between them.`);
  return { seeds, worlds, isKept: false };
}

function report(
  { seed, faults, violations, history, seconds, texts, answered }: Outcome,
  { world }: NemesisWorld,
): void {
  say(
    `seed ${seed}: ${faults.map(describeFault).join('; ')}: ${answered} of ${texts} texts answered at once, ${seconds} s`,
  );
  if (violations.length === 0) return;
  say(`${violations.map((violation) => `  ! ${violation}`).join('\n')}\n${history}\n${world.output()}`);
}

/** How often each class of fault was performed. */
function countsOf(outcomes: readonly Outcome[]): (readonly [name: string, times: number])[] {
  const performed = outcomes.flatMap(({ faults }) => faults);
  return faultClasses.map((name) => [name, performed.filter((fault) => fault.class === name).length] as const);
}

function figuresOf(outcomes: readonly Outcome[], counts: readonly (readonly [string, number])[]): Figure[] {
  const none = { text: '0', atMost: 0 };
  const rarest = Math.min(...counts.map(([, times]) => times));
  return [
    oneFigure({ name: 'seeds that were run', unit: 'seeds' }, outcomes.length),
    ...judges.map(({ name }) =>
      oneFigure({ name: `${name}: violations`, unit: 'times', target: none }, violationsOf(outcomes, name)),
    ),
    oneFigure({ name: 'the rarest class of fault', unit: 'times', target: { text: '≥ 5', atLeast: 5 } }, rarest),
  ];
}

const violationsOf = (outcomes: readonly Outcome[], judge: string) =>
  outcomes.flatMap(({ violations }) => violations).filter((violation) => violation.startsWith(`${judge}: `)).length;

function notesOf(outcomes: readonly Outcome[], counts: readonly (readonly [string, number])[], plan: Plan): string[] {
  const sum = (count: (outcome: Outcome) => number) => outcomes.reduce((all, outcome) => all + count(outcome), 0);
  return [
    'Two hosts, two workers, two APIs, each with its own way to PostgreSQL; in each seed four people talk, a fifth vanishes, and two faults are drawn.',
    `${sum(({ texts }) => texts)} texts were written, one in four calls a tool; ${sum(({ answered }) => answered)} were answered within 4 s; ${plan.worlds} worlds at once.`,
    `Drawn: ${counts.map(([name, times]) => `${name} ${times}`).join(', ')}.`,
    'What is said while a host cannot write may be said again by its successor, and is not counted ([outages.md](operate/outages.md)).',
    ...outcomes.flatMap(({ seed, violations }) =>
      violations.map((violation) => `Missed with seed ${seed}: ${violation}.`),
    ),
  ];
}

async function keep(plan: Plan, outcomes: readonly Outcome[], began: { at: string; ms: number }): Promise<void> {
  const counts = countsOf(outcomes);
  const runs = outcomes
    .map(({ seed, faults, violations, texts, answered, seconds }) => ({
      ...{ seed, faults: faults.map(describeFault), texts, answered, seconds, violations },
    }))
    .sort((a, b) => a.seed - b.seed);
  await writeResult({
    row: 'nemesis',
    title: 'While hosts stand still, networks fail, PostgreSQL fails over and clocks are wrong',
    against: 'fixed limits',
    ...{ at: began.at, tookSeconds: Math.round((performance.now() - began.ms) / 1_000), pairs: outcomes.length },
    ...{ machine: machine(), versions: await versions() },
    ...{ figures: figuresOf(outcomes, counts), notes: notesOf(outcomes, counts, plan), runs },
  });
  await writePage(rows.map(({ name }) => name));
}
