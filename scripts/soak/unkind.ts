/**
 * `npm run soak -- unkind`: written and spoken conversations with providers that have the manners of real ones; what came of
 * them in test/bench/results/unkind.json. Fails when anything was not as it must be, or a manner was seen too rarely.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { machine, versions } from '../../test/bench/versions.ts';
import { spokenUtterances } from '../../test/unkind/spoken.ts';
import { textConversations } from '../../test/unkind/text.ts';
import { Fault } from '../toolchain/fault.ts';
import { readArguments } from '../toolchain/script.ts';

const results = new URL('../../test/bench/results/', import.meta.url);
const help = `Usage: npm run soak -- unkind [--conversations 500] [--utterances 320] [--seed 1] [--at-once 4]

Written conversations and spoken utterances with providers that behave as real ones do; the same seed draws the same manners.`;

/** What nobody notices as a pause. */
const mostSilentMs = 2_000;
/** Rarer than this a manner proves nothing. */
const leastOften = 20;

export async function soakUnkind(args: string[]): Promise<void> {
  const plan = readPlan(args);
  if (!plan) return;
  const { conversations, utterances, seed, atOnce } = plan;
  const text = await textConversations({ conversations, seed, atOnce, mostSilentMs });
  report(`${conversations} written conversations`, text);
  const spoken = await spokenUtterances({ utterances, seed, mostSilentMs });
  report(`${utterances} spoken utterances`, spoken);
  await mkdir(results, { recursive: true });
  const record = { at: new Date().toISOString(), machine: machine(), versions: await versions(), text, spoken };
  await writeFile(new URL('unkind.json', results), `${JSON.stringify(record, null, 2)}\n`);
  const rare = [text, spoken].flatMap(({ manners }) =>
    Object.entries(manners).filter(([, count]) => count < leastOften),
  );
  if (rare.length > 0) throw new Fault(`Seen less than ${leastOften} times: ${rare.map(([name]) => name).join(', ')}.`);
  const faults = text.faults.length + spoken.faults.length;
  if (faults > 0) throw new Fault(`${faults} times something was not as it must be.`);
}

function readPlan(args: string[]) {
  const { values } = readArguments({
    args,
    options: {
      conversations: { type: 'string', default: '500' },
      utterances: { type: 'string', default: '320' },
      seed: { type: 'string', default: '1' },
      'at-once': { type: 'string', default: '4' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return void process.stdout.write(`${help}\n`);
  const whole = (name: 'conversations' | 'utterances' | 'seed' | 'at-once') => {
    const number = Number(values[name]);
    if (!Number.isInteger(number) || number < 1)
      throw new Fault(`--${name} is "${values[name]}": give a whole number.`);
    return number;
  };
  return {
    conversations: whole('conversations'),
    utterances: whole('utterances'),
    seed: whole('seed'),
    atOnce: whole('at-once'),
  };
}

function report(
  what: string,
  { manners, faults, ...figures }: { manners: Record<string, number>; faults: string[] },
): void {
  const drawn = Object.entries(manners).map(([name, count]) => `  ${String(count).padStart(5)} × ${name}`);
  const wrong = faults.slice(0, 20).map((fault) => `  ! ${fault}`);
  process.stdout.write(`${[`${what}: ${JSON.stringify(figures)}`, ...drawn, ...wrong].join('\n')}\n`);
}
