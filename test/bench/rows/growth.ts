import before from '../growth/before.json' with { type: 'json' };
import { type Cost, costOf } from '../growth/cost.ts';
import { type Installation, type Sizes, startInstallation } from '../growth/installation.ts';
import { type Operation, operations } from '../growth/operations.ts';
import type { Figure, Row } from '../row.ts';
import { figureOf } from '../statistics.ts';

const sizes: Record<'full' | 'smoke', Sizes> = {
  full: { hosts: 100, sessions: 10_000, ledgerAgents: 200, ledgerDays: 365, operations: 100 },
  smoke: { hosts: 4, sessions: 200, ledgerAgents: 4, ledgerDays: 40, operations: 20 },
};

/** What a large installation asks of PostgreSQL, at rest and for each session: where the cost grows with hosts and sessions. */
export const growth: Row = {
  name: 'growth',
  title: 'What a large installation asks of PostgreSQL: 100 hosts, 10 000 live sessions',
  against: `the code before anything was mended (commit ${before.commit}), measured earlier by the same row on the same machine`,
  limitMinutes: 20,
  run: async ({ pairs, smoke, say }) => {
    const chosen = smoke ? sizes.smoke : sizes.full;
    const rounds: Spent[][] = [];
    for (let round = 0; round < pairs; round += 1) rounds.push(await measureAll(chosen, say));
    const figures = figuresOf(rounds);
    return { figures: smoke ? figures : figures.flatMap(besideBefore), notes: notesOf(chosen) };
  },
};

interface Spent {
  operation: Operation;
  cost: Cost;
  units: number;
}

async function measureAll(chosen: Sizes, say: (line: string) => void): Promise<Spent[]> {
  await using installation = await startInstallation(chosen);
  const spent: Spent[] = [];
  for (const operation of operations) {
    const one = await measure(installation, operation);
    const { statements, walBytes, cpuMs, seconds } = one.cost;
    say(
      `${operation.unit}: ${one.units} in ${seconds.toFixed(2)} s, ${statements} statements, ${walBytes} bytes, ${cpuMs.toFixed(0)} ms`,
    );
    spent.push(one);
  }
  return spent;
}

async function measure(installation: Installation, operation: Operation): Promise<Spent> {
  await operation.prepare?.(installation);
  let units = 0;
  const cost = await costOf(installation.admin, installation.counted, async () => {
    units = await operation.run(installation);
  });
  return { operation, cost, units };
}

/** Three a row, and the rate of those that are about one. */
function figuresOf(rounds: readonly Spent[][]): Figure[] {
  return operations.flatMap(({ unit, rate }, nth) => {
    const of = (read: (spent: Spent) => number) => rounds.flatMap((round) => (round[nth] ? [read(round[nth])] : []));
    return [
      figureOf(
        { name: `${unit}: statements`, unit: '' },
        of(({ cost, units }) => cost.statements / units),
      ),
      figureOf(
        { name: `${unit}: log (WAL)`, unit: 'bytes' },
        of(({ cost, units }) => cost.walBytes / units),
      ),
      figureOf(
        { name: `${unit}: processor time`, unit: 'ms' },
        of(({ cost, units }) => cost.cpuMs / units),
      ),
      ...(rate
        ? [
            figureOf(
              { name: rate, unit: '/s' },
              of(({ cost, units }) => units / cost.seconds),
            ),
          ]
        : []),
    ];
  });
}

const figuresBefore: Record<string, number> = before.figures;

const besideBefore = (figure: Figure): Figure[] => {
  const value = figuresBefore[figure.name];
  return value === undefined ? [figure] : [figure, { name: `— before: ${figure.name}`, unit: figure.unit, value }];
};

const notesOf = ({ hosts, sessions, ledgerAgents, ledgerDays }: Sizes): string[] => [
  `${hosts} hosts with their locks and 8 warm rooms each, ${sessions} live sessions with two in each room, every tenth spoken; one agent of 128 KiB; a ledger of ${ledgerAgents} agents and ${ledgerDays} days. Hosts, rooms and persons are simulated: no process but PostgreSQL's and the one that asks.`,
  'Statements are round trips, those that begin and end a transaction among them. Processor time is that of all of PostgreSQL’s processes. WAL is without whole pages after a checkpoint (full_page_writes off) and without autovacuum.',
];
