/**
 * `npm run soak -- nemesis`: conversations while hosts stand still, ways to PostgreSQL break, its standby is promoted, networks fail and
 * clocks are wrong; what came of each seed in test/bench/results/nemesis.json. A seed in which anything was not as it must be prints its
 * history.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { machine, versions } from '../../test/bench/versions.ts';
import { describeFault, faultClasses } from '../../test/nemesis/faults.ts';
import { type Outcome, runSeed } from '../../test/nemesis/run-seed.ts';
import { drawSchedule } from '../../test/nemesis/schedule.ts';
import { allSeeds, committedSeeds } from '../../test/nemesis/seeds.ts';
import { type NemesisWorld, startNemesisWorld } from '../../test/nemesis/world.ts';
import { Fault } from '../toolchain/fault.ts';
import { readArguments } from '../toolchain/script.ts';

const results = new URL('../../test/bench/results/', import.meta.url);
const help = `Usage: npm run soak -- nemesis [--all] [--seeds 1,3,4] [--worlds 1]

The ${committedSeeds.length} committed seeds, all ${allSeeds.length}, or those that are named; each takes about a minute. Only whole runs are kept.`;

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
    }
  };
  await Promise.all(Array.from({ length: Math.min(plan.worlds, left.length) }, work));
  if (!hasNodes)
    say('This machine allows no network namespaces: faults of hosts and room server without network were left out.');
  const counts = faultClasses.map((name) => [name, timesOf(outcomes, name)] as const);
  for (const [name, times] of counts) say(`${String(times).padStart(5)} × ${name}`);
  if (plan.isKept) await keep(plan, outcomes, Object.fromEntries(counts));
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

const timesOf = (outcomes: readonly Outcome[], name: string) =>
  outcomes.flatMap(({ faults }) => faults).filter((fault) => fault.class === name).length;

async function keep(plan: Plan, outcomes: readonly Outcome[], classes: Record<string, number>): Promise<void> {
  const seeds = outcomes
    .map(({ seed, faults, violations, texts, answered, seconds }) => ({
      ...{ seed, faults: faults.map(describeFault), texts, answered, seconds, violations },
    }))
    .sort((a, b) => a.seed - b.seed);
  const passed = seeds.filter(({ violations }) => violations.length === 0).length;
  const { worlds } = plan;
  const at = new Date().toISOString();
  await mkdir(results, { recursive: true });
  const record = {
    at,
    machine: machine(),
    versions: await versions(),
    worlds,
    ran: seeds.length,
    passed,
    classes,
    seeds,
  };
  await writeFile(new URL('nemesis.json', results), `${JSON.stringify(record, null, 2)}\n`);
}
