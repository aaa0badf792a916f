import { eventually } from '../../support/eventually.ts';
import { startStockWorker } from '../baselines/stock.ts';
import { hasMemoryAccounts, type Memory, settledMemoryOf } from '../memory.ts';
import type { Measured, Row, RowOptions } from '../row.ts';
import { figureOf, oneFigure } from '../statistics.ts';
import { type BenchWorld, type Door, startBenchWorld } from '../world.ts';
import { type People, startPeople } from './people.ts';

const sizes = { full: { few: 100, many: 400, jobs: 4 }, smoke: { few: 5, many: 15, jobs: 2 } };
const joinsAtOnce = 4;

interface Grown {
  few: Memory;
  many: Memory;
  perSession: Pick<Memory, 'pss' | 'rss'>;
}

/** What one more conversation costs, each with its person in the room and one text answered. */
export const textMemory: Row = {
  name: 'text-memory',
  title: 'Text: memory of one more session, 100 → 400 in one host process',
  against: 'the stock worker: the private memory of the process that each job has',
  limitMinutes: 40,
  missing: async () => ((await hasMemoryAccounts()) ? undefined : 'only Linux tells the memory of a process exactly'),
  run: async (options) => {
    await using world = await startBenchWorld();
    const door = await world.startApi();
    return await measure(world, door, options);
  },
};

async function measure(world: BenchWorld, door: Door, { pairs, smoke, say }: RowOptions): Promise<Measured> {
  const size = smoke ? sizes.smoke : sizes.full;
  const grown: Grown[] = [];
  const jobs: number[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    jobs.push(await jobMemory(world, size.jobs));
    const own = await growth(world, door, size);
    grown.push(own);
    say(`one more session ${own.perSession.pss.toFixed(2)} MB, one more job ${jobs.at(-1)?.toFixed(1)} MB`);
  }
  const perSession = grown.map((round) => round.perSession.pss);
  return {
    figures: [
      figureOf({ name: 'one more session, PSS', unit: 'MB', target: { text: '≤ 2 MB', atMost: 2 } }, perSession),
      figureOf(
        { name: 'times less than a job of the stock worker', unit: '×', target: { text: '≥ 50', atLeast: 50 } },
        perSession.map((own, index) => (jobs[index] ?? Number.NaN) / own),
      ),
      figureOf(
        { name: 'one more session, RSS', unit: 'MB' },
        grown.map((round) => round.perSession.rss),
      ),
      figureOf(
        { name: `host with ${size.few} sessions, PSS`, unit: 'MB' },
        grown.map((round) => round.few.pss),
      ),
      figureOf(
        { name: `host with ${size.many} sessions, PSS`, unit: 'MB' },
        grown.map((round) => round.many.pss),
      ),
      figureOf({ name: 'a job of the stock worker, private', unit: 'MB' }, jobs),
      oneFigure({ name: 'jobs measured a round', unit: 'jobs' }, size.jobs),
    ],
    notes: [
      'MB are 10⁶ bytes, from /proc/<pid>/smaps_rollup; the least of ten looks within 20 s after the last join, because memory that is no longer used is given back late.',
    ],
  };
}

async function growth(world: BenchWorld, door: Door, { few, many }: { few: number; many: number }): Promise<Grown> {
  const host = await world.startHost({ capacity: many + 20 });
  await using people = await startPeople();
  await enter(people, door, few);
  const atFew = await settledMemoryOf(host.pid);
  await enter(people, door, many - few);
  const atMany = await settledMemoryOf(host.pid);
  await people.call('leaveAll', undefined);
  await host.stop();
  const further = (of: 'pss' | 'rss') => (atMany[of] - atFew[of]) / (many - few);
  return { few: atFew, many: atMany, perSession: { pss: further('pss'), rss: further('rss') } };
}

async function enter(people: People, door: Door, count: number): Promise<void> {
  const entered = await people.call('enter', { door: { kind: 'parley', ...door }, count, atOnce: joinsAtOnce });
  if (entered.lost > 0) throw new Error(`${entered.lost} of ${count} conversations never began`);
}

/** The private memory of one job's process, of several the mean; the idle process and what jobs share are not counted. */
async function jobMemory(world: BenchWorld, jobs: number): Promise<number> {
  await using stock = await startStockWorker(world, { idleProcesses: 1 });
  await using people = await startPeople();
  let busy: number[] = [];
  for (let job = 1; job <= jobs; job += 1) {
    // With the idle process that the next job takes.
    busy = await eventually(`${job} job processes`, async () => {
      const processes = await stock.jobProcesses();
      return processes.length === job && processes;
    });
    const entered = await people.call('enter', { door: stock.door, count: 1, atOnce: 1 });
    if (entered.lost > 0) throw new Error('a job of the stock worker never began');
  }
  const memories = await Promise.all(busy.map(settledMemoryOf));
  await people.call('leaveAll', undefined);
  return memories.reduce((sum, memory) => sum + memory.private, 0) / jobs;
}
