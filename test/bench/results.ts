import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { whatItTakes } from './misses.ts';
import type { Figure, RowResult } from './row.ts';

const folder = new URL('./results/', import.meta.url);
const page = new URL('../../docs/performance.md', import.meta.url);

export async function writeResult(result: RowResult): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(new URL(`${result.row}.json`, folder), `${JSON.stringify(result, null, 2)}\n`);
}

/** What `npm run soak` leaves to the page, after the rows. */
const soaks = ['unkind', 'unkind-shipped', 'unkind-spoken', 'nemesis', 'handover', 'outbound'];

/** Writes docs/performance.md from the result files of the rows `names`, in their order, and of the soaks. */
export async function writePage(names: readonly string[]): Promise<void> {
  const results = await committedResults(names);
  await mkdir(new URL('./', page), { recursive: true });
  await writeFile(page, performancePage(results));
}

/** What the rows `names` and the soaks have left, in that order. */
export async function committedResults(names: readonly string[]): Promise<RowResult[]> {
  const present = await readdir(folder).catch(() => [] as string[]);
  const wanted = [...names, ...soaks].filter((name) => present.includes(`${name}.json`));
  return await Promise.all(
    wanted.map(async (name) => JSON.parse(await readFile(new URL(`${name}.json`, folder), 'utf8')) as RowResult),
  );
}

export function performancePage(results: readonly RowResult[]): string {
  return [...introduction, ...results.flatMap(section)].join('\n');
}

const introduction = [
  '# Performance',
  '',
  '<!-- Written by `npm run bench` from test/bench/results/*.json. Do not edit. -->',
  '',
  'Ratios are measured side by side in one run, alternating; a figure is the median of the rounds, with the least and the',
  'most. Work comes in at a fixed rate where latency is measured. A target that is missed is shown as missed. Absolute',
  'numbers belong to the machine named below each table, where clients, servers and baselines share the cores; the ratios',
  'are what carries over. `npm run bench` repeats all of it, `npm run bench -- <row>` one row.',
  '',
];

function section(result: RowResult): string[] {
  return [
    `## ${result.title}`,
    '',
    `Against: ${result.against}.`,
    '',
    '| Figure | Median | Least – most | Target | |',
    '|---|---|---|---|---|',
    ...result.figures.map(line),
    '',
    ...[...missed(result)].map((takes) => `- **Missed.** ${takes}`),
    ...result.notes.map((note) => `- ${note}`),
    '',
    `${result.at.slice(0, 10)}, ${describe(result.machine)}; ${describe(result.versions)}.`,
    '',
  ];
}

/** One sentence for figures that are missed for one reason. */
const missed = ({ row, figures }: RowResult): Set<string> =>
  new Set(figures.filter(({ met }) => met === false).map(({ name }) => whatItTakes(row, name) ?? unexplained));

const unexplained = 'Nobody has written what it would take (test/bench/misses.ts).';

function line({ name, unit, value, least, most, target, met }: Figure): string {
  const range = least === undefined || most === undefined ? '' : `${least} – ${most}`;
  const verdict = target ? (met ? 'met' : '**missed**') : '';
  return `| ${name} | ${value} ${unit} | ${range} | ${target?.text ?? ''} | ${verdict} |`;
}

const describe = (facts: Record<string, string | number>) =>
  Object.entries(facts)
    .map(([name, fact]) => `${name} ${fact}`)
    .join(', ');
