/**
 * `npm run soak -- outbound`: 1 000 calls out while an API and a worker are killed in each round of eight, at a moment that chance chooses: between
 * commit and dial, while it rings, while its end is stored. Fails when anybody was called twice, or a call came to no end.
 */
import { callOut } from '../../test/proofs/calling-out.ts';
import { Fault } from '../toolchain/fault.ts';
import { readArguments } from '../toolchain/script.ts';

const help = 'Usage: npm run soak -- outbound [--rounds 125] [--calls 8]';

export async function soakOutbound(args: string[]): Promise<void> {
  const { values } = readArguments({
    args,
    options: {
      rounds: { type: 'string', default: '125' },
      calls: { type: 'string', default: '8' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return void process.stdout.write(`${help}\n`);
  const plan = { rounds: wholeNumber('rounds', values.rounds), calls: wholeNumber('calls', values.calls) };
  const began = performance.now();
  const { calls, states, faults } = await callOut(
    plan,
    (nth) => void process.stdout.write(nth % 10 === 0 ? `${nth}` : '.'),
  );
  const seconds = Math.round((performance.now() - began) / 1_000);
  const ends = Object.entries(states).map(([state, count]) => `${count} ${state}`);
  process.stdout.write(
    `\n${calls} calls in ${plan.rounds} rounds, ${seconds} s: ${ends.join(', ')}; ${faults.length} faults\n`,
  );
  if (faults.length > 0) throw new Fault(faults.slice(0, 20).join('\n'));
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new Fault(`--${name} is "${text}": give a whole number.`);
}
