/**
 * `npm run bench [-- <row> …]`: measures each row beside its baseline, writes test/bench/results/<row>.json and
 * docs/performance.md. `--pairs N` sets the alternating rounds, `--smoke` only shows that the rows work and writes nothing.
 */

import { within } from '../services/process/within.ts';
import { watchForeignWork } from '../test/bench/foreign-work.ts';
import { startRemote } from '../test/bench/remote.ts';
import { writePage, writeResult } from '../test/bench/results.ts';
import type { Measured, Row } from '../test/bench/row.ts';
import { rows } from '../test/bench/rows.ts';
import type { commands } from '../test/bench/run-row.ts';
import { machine, versions } from '../test/bench/versions.ts';
import { Fault } from './toolchain/fault.ts';
import { readArguments, runScript } from './toolchain/script.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);
const defaultPairs = 5;

interface Choice {
  chosen: readonly Row[];
  pairs: number;
  smoke: boolean;
}

function readChoice(args: string[]): Choice {
  const { values, positionals } = readArguments({
    args,
    allowPositionals: true,
    options: {
      pairs: { type: 'string' },
      smoke: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    say(`Usage: npm run bench [-- <row> …] [--pairs N] [--smoke]\n\nRows: ${rows.map((row) => row.name).join(', ')}`);
    process.exit(0);
  }
  const unknown = positionals.find((name) => !rows.some((row) => row.name === name));
  if (unknown)
    throw new Fault(`There is no row "${unknown}". The rows are: ${rows.map((row) => row.name).join(', ')}.`);
  const pairs = Number(values.pairs ?? (values.smoke ? 1 : defaultPairs));
  if (!Number.isInteger(pairs) || pairs < 1) throw new Fault(`--pairs is "${values.pairs}": give a whole number.`);
  const chosen = rows.filter((row) => positionals.length === 0 || positionals.includes(row.name));
  return { chosen, pairs, smoke: values.smoke };
}

async function measured(row: Row, { pairs, smoke }: Choice): Promise<Measured> {
  await using process = await startRemote<typeof commands>(new URL('../test/bench/run-row.ts', import.meta.url));
  // Awaited here, because the process ends with this function.
  return await within(row.limitMinutes * 60_000, 'it', process.call('run', { row: row.name, pairs, smoke }));
}

/** Whether the row was measured (which says nothing about its targets). */
async function runRow(row: Row, choice: Choice): Promise<boolean> {
  const missing = await row.missing?.();
  if (missing) {
    say(`${row.name}: left out: ${missing}`);
    return true;
  }
  say(`${row.name}: ${row.title}`);
  const began = performance.now();
  const at = new Date().toISOString();
  try {
    const foreign = await watchForeignWork();
    const { figures, notes: ofRow } = await measured(row, choice);
    const notes = [...ofRow, ...besides(await foreign())];
    for (const figure of figures) {
      const verdict = figure.target ? `  ${figure.met ? 'met' : 'MISSED'} (${figure.target.text})` : '';
      say(`  ${figure.name}: ${figure.value} ${figure.unit} [${figure.least ?? ''} – ${figure.most ?? ''}]${verdict}`);
    }
    say(`  ${notes.at(-1)}`);
    if (choice.smoke) return true;
    const { name, title, against } = row;
    const tookSeconds = Math.round((performance.now() - began) / 1000);
    const facts = { machine: machine(), versions: await versions() };
    await writeResult({ row: name, title, against, at, tookSeconds, pairs: choice.pairs, ...facts, figures, notes });
    return true;
  } catch (error) {
    say(`  failed: ${(error as Error).message}`);
    return false;
  }
}

const besides = (share: number | undefined): string[] =>
  share === undefined
    ? []
    : [`Meanwhile other programs took ${(100 * share).toFixed(0)} % of the cores that the row had.`];

await runScript(async (args) => {
  const choice = readChoice(args);
  const done: boolean[] = [];
  for (const row of choice.chosen) done.push(await runRow(row, choice));
  if (!choice.smoke) await writePage(rows.map((row) => row.name));
  process.exitCode = done.every(Boolean) ? 0 : 1;
});
