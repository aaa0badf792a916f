/**
 * `npm run soak -- handover`: a host is told to stop while 20 people write to it, alone and beside other work, and while 200 do; the figures in
 * test/bench/results/handover.json and docs/performance.md. Fails when anything was lost, repeated or cut off.
 */
import { writePage, writeResult } from '../../test/bench/results.ts';
import type { Figure, Target } from '../../test/bench/row.ts';
import { rows } from '../../test/bench/rows.ts';
import { oneFigure, quantile } from '../../test/bench/statistics.ts';
import { machine, versions } from '../../test/bench/versions.ts';
import { type HandedOver, type HandOverPlan, handOver } from '../../test/proofs/handing-over.ts';
import { Fault } from '../toolchain/fault.ts';
import { readArguments } from '../toolchain/script.ts';

const help = `Usage: npm run soak -- handover [--conversations 20] [--load 4]

Without options: 20 conversations, alone and beside 4 processes that only keep cores busy, and 200; the results are kept. With any of them: one
hand-over, of which nothing is kept.`;

const busy = 4;
/** Ten texts a second in all. */
const everyMsEach = 100;
const withinSeconds: Record<number, number> = { 20: 10, 200: 60 };
const none: Target = { text: '0', atMost: 0 };
const mostShown = 5;

const planOf = (conversations: number, load: number): HandOverPlan => ({
  conversations,
  load,
  everyMs: conversations * everyMsEach,
});
/** 200 clients beside a load lose their own connections on two cores: that says nothing of the hosts. */
const whole = [planOf(20, 0), planOf(20, busy), planOf(200, 0)];

export async function soakHandover(args: string[]): Promise<void> {
  const plans = readPlans(args);
  if (!plans) return;
  const began = performance.now();
  const at = new Date().toISOString();
  const figures: Figure[] = [];
  let faults = 0;
  for (const plan of plans) {
    const done = await handOver(plan);
    faults += done.faults.length;
    report(plan, done);
    figures.push(...figuresOf(plan, done));
  }
  if (plans === whole) await keep({ at, tookSeconds: Math.round((performance.now() - began) / 1_000), figures });
  if (faults > 0) throw new Fault(`${faults} times something was not as it must be.`);
}

function readPlans(args: string[]): readonly HandOverPlan[] | undefined {
  const { values } = readArguments({
    args,
    options: {
      conversations: { type: 'string' },
      load: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return void process.stdout.write(`${help}\n`);
  if (values.conversations === undefined && values.load === undefined) return whole;
  const [conversations, load] = [Number(values.conversations ?? 20), Number(values.load ?? 0)];
  if (!Number.isInteger(conversations) || conversations < 1)
    throw new Fault(`--conversations is "${values.conversations}": give a whole number.`);
  if (!Number.isInteger(load) || load < 0) throw new Fault(`--load is "${values.load}": give a whole number.`);
  return [planOf(conversations, load)];
}

const nameOf = ({ conversations, load }: HandOverPlan) =>
  `${conversations} conversations${load > 0 ? `, beside a load of ${load}` : ''}`;

function report(plan: HandOverPlan, { tookMs, texts, answeredAfterMs, faults, output }: HandedOver): void {
  const longest = answeredAfterMs.length > 0 ? Math.max(...answeredAfterMs) / 1_000 : 0;
  const meanwhile = `${answeredAfterMs.length} of ${texts} texts meanwhile, the longest answered after ${longest.toFixed(1)} s`;
  const lines = [`${nameOf(plan)}: ${(tookMs / 1_000).toFixed(1)} s; ${meanwhile}; ${faults.length} faults`];
  process.stdout.write(
    `${[...lines, ...faults.slice(0, mostShown).map((fault) => `  ! ${fault}`), output].join('\n')}\n`,
  );
}

function figuresOf(plan: HandOverPlan, { tookMs, answeredAfterMs, faults }: HandedOver): Figure[] {
  const name = nameOf(plan);
  const seconds = plan.load === 0 ? withinSeconds[plan.conversations] : undefined;
  const target = seconds === undefined ? {} : { target: { text: `≤ ${seconds} s`, atMost: seconds } };
  return [
    oneFigure({ name: `${name}: all handed over`, unit: 's', ...target }, tookMs / 1_000),
    oneFigure(
      { name: `${name}: lost, repeated, unheard or cut off`, unit: 'conversations', target: none },
      faults.length,
    ),
    oneFigure({ name: `${name}: texts written meanwhile`, unit: 'texts' }, answeredAfterMs.length),
    oneFigure(
      { name: `${name}: from such a text to its answer, p50`, unit: 's' },
      quantile(answeredAfterMs, 0.5) / 1_000,
    ),
    oneFigure({ name: `${name}: the longest`, unit: 's' }, quantile(answeredAfterMs, 1) / 1_000),
  ];
}

async function keep(measured: { at: string; tookSeconds: number; figures: Figure[] }): Promise<void> {
  const facts = { machine: machine(), versions: await versions() };
  await writeResult({
    ...{ row: 'handover', title: 'A host that is told to stop hands its conversations over' },
    against: 'a stock worker, which drains for up to an hour or cuts its calls',
    ...{ ...measured, pairs: 1, ...facts },
    notes: [
      `\`npm run soak -- handover\`. Ten texts a second in all, at fixed times; everybody has written before, and writes once more to the successor. From SIGTERM to the end of the process; the successor was up before.`,
      'Each text is stored, answered and heard exactly once, or its conversation is counted. No client sends anything again.',
      'Beside a load: four processes that do nothing but keep cores busy. Hosts, room server, database and all clients share the same cores. 200 conversations beside a load were tried once: the clients in their one process lost their own connections, so nothing was measured.',
    ],
  });
  await writePage(rows.map(({ name }) => name));
}
