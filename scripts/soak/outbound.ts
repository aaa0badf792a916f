/**
 * `npm run soak -- outbound`: 1 000 calls out while an API and a worker are killed in each round of eight, at a moment that chance chooses: between
 * commit and dial, while it rings, while its end is stored. Each call is compared with what its carrier saw; the figures are in
 * test/bench/results/outbound.json and docs/performance.md. Fails when anybody was called twice, or a call came to an end that is not true.
 */
import { writePage, writeResult } from '../../test/bench/results.ts';
import type { Target } from '../../test/bench/row.ts';
import { rows } from '../../test/bench/rows.ts';
import { oneFigure } from '../../test/bench/statistics.ts';
import { machine, versions } from '../../test/bench/versions.ts';
import { type Called, callOut } from '../../test/proofs/calling-out.ts';
import { Fault } from '../toolchain/fault.ts';
import { readArguments } from '../toolchain/script.ts';

const help = `Usage: npm run soak -- outbound [--rounds 125] [--calls 8] [--minutes 60]

1 000 calls, or those of the rounds that begin within so many minutes, whose figures are kept. With --rounds or --calls nothing is kept.`;

const wholeRounds = 125;
const wholeCalls = 8;
const none: Target = { text: '0', atMost: 0 };
const mostShown = 20;

export async function soakOutbound(args: string[]): Promise<void> {
  const { values } = readArguments({
    args,
    options: {
      rounds: { type: 'string' },
      calls: { type: 'string' },
      minutes: { type: 'string', default: '60' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return void process.stdout.write(`${help}\n`);
  const plan = {
    rounds: wholeNumber('rounds', values.rounds ?? String(wholeRounds)),
    calls: wholeNumber('calls', values.calls ?? String(wholeCalls)),
    withinMs: wholeNumber('minutes', values.minutes) * 60_000,
  };
  const at = new Date().toISOString();
  const onRound = (nth: number) => void process.stdout.write(nth % 10 === 0 ? `${nth}` : '.');
  const called = await callOut(plan, onRound);
  process.stdout.write(`\n${told(called)}\n`);
  if (values.rounds === undefined && values.calls === undefined) await keep(at, called);
  if (called.faults.length > 0) throw new Fault(called.faults.slice(0, mostShown).join('\n'));
}

function told({ calls, rounds, ends, seconds, faults }: Called): string {
  const counts = Object.entries(ends).map(([end, count]) => `${count} ${end}`);
  const took = `${seconds.asking} s, and ${seconds.ending} s to the end of the last`;
  return `${calls} calls in ${rounds} rounds, ${took}: ${counts.join('; ')}; ${faults.length} faults`;
}

async function keep(at: string, { calls, rounds, ends, seconds, faults }: Called): Promise<void> {
  const facts = { machine: machine(), versions: await versions() };
  await writeResult({
    ...{ row: 'outbound', title: 'Calls out while what makes them is killed' },
    against: 'a carrier that notes down every call that reaches it, and says of everybody that they are busy',
    ...{ at, tookSeconds: seconds.asking + seconds.ending, pairs: 1, ...facts },
    figures: [
      oneFigure({ name: 'calls asked for', unit: 'calls' }, calls),
      oneFigure(
        { name: 'made twice, lost, or stored as something else than the carrier saw', unit: 'calls', target: none },
        faults.length,
      ),
      ...Object.entries(ends).map(([end, count]) => oneFigure({ name: `ended as ${end}`, unit: 'calls' }, count)),
    ],
    notes: [
      `\`npm run soak -- outbound\`. ${rounds} rounds; in each the only API is killed within 0.3 s and the only worker within 1.5 s of the moment in which its calls are asked for, and started again.`,
      '"Never made": no INVITE has reached the carrier. Such a call is unreachable because the bridge found no API to let it into the room.',
      'Unknown: whoever waited for the answer was killed. The bridge gives up after 80 s, and until then nobody can say what became of the call.',
    ],
  });
  await writePage(rows.map(({ name }) => name));
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new Fault(`--${name} is "${text}": give a whole number.`);
}
