import { startStockWorker } from '../baselines/stock.ts';
import type { DoorAddress } from '../clients/doors.ts';
import type { Talked } from '../clients/people.ts';
import type { Measured, Row, RowOptions } from '../row.ts';
import { figureOf, oneFigure, quantile } from '../statistics.ts';
import { startBenchWorld } from '../world.ts';
import { type People, startPeople } from './people.ts';

const talkers = 4;
const everyMs = 400;
const sizes = { full: 60, smoke: 10 };

/** From a text to the first piece of its reply, with a model that takes no time: what the platform adds. */
export const textLatency: Row = {
  name: 'text-latency',
  title: 'Text: from a message to the first piece of its reply',
  against: 'the stock worker on the same room server, same client and same scripted model',
  limitMinutes: 20,
  run: async (options) => {
    await using world = await startBenchWorld();
    await using people = await startPeople();
    await using stock = await startStockWorker(world, { idleProcesses: 2 });
    await world.startWorker();
    await world.startHost();
    const door = { kind: 'parley', ...(await world.startApi()) } as const;
    return await measure(people, { ours: door, stock: stock.door }, options);
  },
};

type Doors = Record<'ours' | 'stock', DoorAddress>;

async function measure(people: People, doors: Doors, { pairs, smoke, say }: RowOptions): Promise<Measured> {
  const texts = smoke ? sizes.smoke : sizes.full;
  const rounds = { ours: [] as Talked[], stock: [] as Talked[] };
  for (let pair = 0; pair < pairs; pair += 1) {
    rounds.stock.push(await conversations(people, doors.stock, texts));
    rounds.ours.push(await conversations(people, doors.ours, texts));
    const p50 = (of: Talked[]) => quantile(of.at(-1)?.latenciesMs ?? [], 0.5).toFixed(1);
    say(`ours ${p50(rounds.ours)} ms, stock ${p50(rounds.stock)} ms`);
  }
  const at = (of: Talked[], share: number) => of.map(({ latenciesMs }) => quantile(latenciesMs, share));
  const ratio = (share: number) =>
    at(rounds.ours, share).map((own, index) => own / (at(rounds.stock, share)[index] ?? Number.NaN));
  const lost = (of: Talked[]) => of.reduce((sum, round) => sum + round.lost, 0);
  return {
    figures: [
      figureOf({ name: 'share of stock, p50', unit: '×', target: { text: '≤ 0.5', atMost: 0.5 } }, ratio(0.5)),
      figureOf({ name: 'share of stock, p95', unit: '×', target: { text: '≤ 0.4', atMost: 0.4 } }, ratio(0.95)),
      figureOf({ name: 'ours, p50', unit: 'ms' }, at(rounds.ours, 0.5)),
      figureOf({ name: 'ours, p95', unit: 'ms' }, at(rounds.ours, 0.95)),
      figureOf({ name: 'stock, p50', unit: 'ms' }, at(rounds.stock, 0.5)),
      figureOf({ name: 'stock, p95', unit: 'ms' }, at(rounds.stock, 0.95)),
      oneFigure(
        { name: 'texts without an answer, ours', unit: 'texts', target: { text: '0', atMost: 0 } },
        lost(rounds.ours),
      ),
      oneFigure({ name: 'texts without an answer, stock', unit: 'texts' }, lost(rounds.stock)),
    ],
    notes: [
      `${talkers} conversations a round and side, each with ${texts} texts, one every ${everyMs} ms at fixed times; new conversations every round.`,
      'Ours has stored the text in PostgreSQL (with fsync) before the model sees it; stock stores nothing.',
    ],
  };
}

async function conversations(people: People, door: DoorAddress, texts: number): Promise<Talked> {
  const entered = await people.call('enter', { door, count: talkers, atOnce: 1 });
  if (entered.lost > 0) throw new Error(`${entered.lost} of ${talkers} conversations never began`);
  // The code that answers is compiled by now on both sides.
  await people.call('talk', { talkers, texts: 5, everyMs });
  const talked = await people.call('talk', { talkers, texts, everyMs });
  await people.call('leaveAll', undefined);
  return talked;
}
