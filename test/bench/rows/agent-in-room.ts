import type { Values } from '../../../services/settings/settings.ts';
import { sql } from '../../../services/store/sql.ts';
import { startStockWorker } from '../baselines/stock.ts';
import type { DoorAddress } from '../clients/doors.ts';
import type { FirstText, FirstTexts } from '../clients/people.ts';
import type { Figure, Measured, Row, RowOptions } from '../row.ts';
import { figureOf, oneFigure, quantile } from '../statistics.ts';
import { type BenchWorld, startBenchWorld } from '../world.ts';
import { type People, startPeople } from './people.ts';

const sizes = { full: 20, smoke: 3 };
/** One after another, with time for a warm room, or an idle job process, to be made again. */
const pace = { atOnce: 1, restMs: 1_500 };

/** From the request for a conversation to the answer of a text that is written as soon as it can be. */
export const agentInRoom: Row = {
  name: 'agent-in-room',
  title: 'The agent in the room: from the request to the first answered text',
  against: 'the stock worker with explicit dispatch and idle processes, warm; same room server, client and model',
  limitMinutes: 25,
  run: async (options) => {
    await using world = await startBenchWorld();
    await using people = await startPeople();
    await using stock = await startStockWorker(world, { idleProcesses: 2 });
    const api = await world.startApi();
    const door = { kind: 'parley', ...api } as const;
    return await measure({ world, people, door, stock: stock.door }, options);
  },
};

interface Parts {
  world: BenchWorld;
  people: People;
  door: DoorAddress;
  stock: DoorAddress;
}

async function measure(parts: Parts, { pairs, smoke, say }: RowOptions): Promise<Measured> {
  const conversations = smoke ? sizes.smoke : sizes.full;
  const rounds = { warm: [] as FirstText[][], cold: [] as FirstText[][], stock: [] as FirstText[][] };
  let warmSessions = 0;
  for (let pair = 0; pair < pairs; pair += 1) {
    rounds.stock.push(await first(parts, parts.stock, conversations, 'when the agent listens'));
    rounds.warm.push(await withHost(parts, { warmRooms: 4 }, conversations));
    warmSessions += await countWarm(parts.world);
    rounds.cold.push(await withHost(parts, { warmRooms: 0 }, conversations));
    const p50 = (of: FirstText[][]) => Math.round(quantile(answered(of.at(-1) ?? []), 0.5));
    say(`warm ${p50(rounds.warm)} ms, cold ${p50(rounds.cold)} ms, stock ${p50(rounds.stock)} ms`);
  }
  return { figures: figures(rounds, warmSessions, conversations * pairs), notes: notes(conversations) };
}

const answered = (texts: readonly FirstText[]) => texts.flatMap(({ answeredMs }) => answeredMs ?? []);

type Rounds = Record<'warm' | 'cold' | 'stock', FirstText[][]>;

function figures(rounds: Rounds, warm: number, asked: number): Figure[] {
  const each = (of: FirstText[][], read: (text: FirstText) => number | undefined, share: number) =>
    of.map((round) =>
      quantile(
        round.flatMap((text) => read(text) ?? []),
        share,
      ),
    );
  const timesFaster = (of: FirstText[][], read: (text: FirstText) => number | undefined) => {
    const own = each(of, read, 0.5);
    return each(rounds.stock, read, 0.5).map((stock, index) => stock / (own[index] ?? Number.NaN));
  };
  const times = (name: string, of: FirstText[][], share: number) =>
    figureOf({ name: `${name}, p${share * 100}`, unit: 'ms' }, each(of, answeredAt, share));
  const own = [...rounds.warm, ...rounds.cold].flat();
  const target = { text: '≥ 3', atLeast: 3 };
  return [
    oneFigure(
      { name: 'with warm rooms: agent there before the answer', unit: '% of sessions', target: all },
      (warm / asked) * 100,
    ),
    figureOf(
      { name: 'without: agent ready, times faster than stock, p50', unit: '×', target },
      timesFaster(rounds.cold, readyAt),
    ),
    figureOf({ name: 'without: agent ready (the answer of POST), p50', unit: 'ms' }, each(rounds.cold, readyAt, 0.5)),
    figureOf({ name: 'stock: agent ready (seen to listen), p50', unit: 'ms' }, each(rounds.stock, readyAt, 0.5)),
    figureOf({ name: 'with warm rooms: the answer of POST, p50', unit: 'ms' }, each(rounds.warm, readyAt, 0.5)),
    figureOf(
      { name: 'with warm rooms: first text answered, times faster than stock, p50', unit: '×' },
      timesFaster(rounds.warm, answeredAt),
    ),
    figureOf(
      { name: 'without: first text answered, times faster than stock, p50', unit: '×' },
      timesFaster(rounds.cold, answeredAt),
    ),
    times('with warm rooms: first text answered', rounds.warm, 0.5),
    times('with warm rooms: first text answered', rounds.warm, 0.95),
    times('without: first text answered', rounds.cold, 0.5),
    times('without: first text answered', rounds.cold, 0.95),
    times('stock: first text answered', rounds.stock, 0.5),
    times('stock: first text answered', rounds.stock, 0.95),
    oneFigure({ name: 'texts without an answer, ours', unit: `of ${own.length}`, target: zero }, unanswered(own)),
    oneFigure(
      { name: 'texts without an answer, stock', unit: `of ${rounds.stock.flat().length}` },
      unanswered(rounds.stock.flat()),
    ),
  ];
}

const readyAt = (text: FirstText) => text.agentReadyMs;
const answeredAt = (text: FirstText) => text.answeredMs;
const unanswered = (of: readonly FirstText[]) => of.filter(({ answeredMs }) => answeredMs === undefined).length;
const all = { text: '100 %', atLeast: 100 };
const zero = { text: '0', atMost: 0 };

const notes = (conversations: number) => [
  `${conversations} conversations a round and kind, one after another. All times begin with the request for the conversation; a first text answered includes the client’s own join, on both sides.`,
  'Ours writes in the tick in which the client has joined. The stock client writes once the agent says that it listens: what is written before is lost.',
  'Stock: one call that creates the room and dispatches the agent; the worker keeps 2 idle processes.',
];

const first = ({ people }: Parts, door: DoorAddress, conversations: number, write: FirstTexts['write']) =>
  people.call('firstTexts', { door, conversations, write, ...pace });

/** On a fresh host of ours, which is gone afterwards. */
async function withHost(parts: Parts, settings: Values, conversations: number): Promise<FirstText[]> {
  const host = await parts.world.startHost(settings);
  await first(parts, parts.door, 1, 'at once');
  await forgetSessions(parts.world);
  const result = await first(parts, parts.door, conversations, 'at once');
  await host.stop();
  return result;
}

const forgetSessions = (world: BenchWorld) => world.admin.query(sql`delete from sessions`);

/** A session that took a warm room was ready in the moment in which it was created. */
async function countWarm(world: BenchWorld): Promise<number> {
  const rows = await world.admin.query<{ warm: number }>(
    sql`select count(*)::integer as warm from sessions where agent_ready_at = created_at`,
  );
  return rows[0]?.warm ?? 0;
}
