import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { commands } from '../clients/checker.ts';
import { startRemote } from '../remote.ts';
import type { Measured, Row, RowOptions } from '../row.ts';
import { figureOf } from '../statistics.ts';
import { newAgent, supportAgents, writeManyAgents } from './many-agents.ts';

const sizes = { full: 1_000, smoke: 20 };

/** What `npx parley agents validate`, CI and a worker that starts do: read every file, and check all of it. */
export const agentsValidate: Row = {
  name: 'agents-validate',
  title: 'Validating 1 000 agents',
  against: 'a fixed limit',
  limitMinutes: 5,
  run: async (options) => {
    const root = await mkdtemp(join(tmpdir(), 'parley-bench-agents-'));
    return measure(root, options).finally(() => rm(root, { recursive: true, force: true }));
  },
};

async function measure(root: string, { pairs, smoke, say }: RowOptions): Promise<Measured> {
  const count = smoke ? sizes.smoke : sizes.full;
  const folders = { short: join(root, 'short'), long: join(root, 'long') };
  const shortKb = await writeManyAgents(folders.short, count, newAgent);
  const longKb = await writeManyAgents(folders.long, count, await supportAgents());
  const rounds: { short: number; long: number }[] = [];
  for (let round = 0; round < pairs; round += 1) {
    const one = { short: await check(folders.short, count), long: await check(folders.long, count) };
    rounds.push(one);
    say(`${one.short.toFixed(2)} s, long ones ${one.long.toFixed(2)} s`);
  }
  const target = { text: '≤ 2 s', atMost: 2 };
  return {
    figures: [
      figureOf(
        { name: `${count} agents read and checked`, unit: 's', target },
        rounds.map(({ short }) => short),
      ),
      figureOf(
        { name: 'the same of long ones', unit: 's' },
        rounds.map(({ long }) => long),
      ),
    ],
    notes: [
      `An agent has ${shortKb.toFixed(1)} kB: what \`npx parley agents new\` writes, in two languages and with a paragraph of instructions. A long one has ${longKb.toFixed(1)} kB, most of it a script.`,
      'A process of its own for each round, which has checked nothing before; its start is not counted.',
    ],
  };
}

/** Seconds. */
async function check(folder: string, count: number): Promise<number> {
  await using checker = await startRemote<typeof commands>(new URL('../clients/checker.ts', import.meta.url));
  const { tookMs, agents, faults } = await checker.call('check', { folder });
  if (agents !== count || faults > 0) throw new Error(`${agents} of ${count} agents were sound, with ${faults} faults`);
  return tookMs / 1000;
}
