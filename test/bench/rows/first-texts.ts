import { sql } from '../../../services/store/sql.ts';
import type { FirstText } from '../clients/people.ts';
import type { Figure, Measured, Row, RowOptions } from '../row.ts';
import { oneFigure, quantile } from '../statistics.ts';
import { type BenchWorld, startBenchWorld } from '../world.ts';
import { type People, startPeople } from './people.ts';

const sizes = { full: 1_000, smoke: 10 };
/** As many as this machine carries with everything on it; nobody waits for anybody. */
const pace = { atOnce: 4, restMs: 300 };

/** A text that is written in the tick in which the client has joined is lost where the agent comes later. */
export const firstTexts: Row = {
  name: 'first-texts',
  title: 'First texts, written in the tick of joining',
  against: 'nothing: they are counted',
  limitMinutes: 40,
  run: async (options) => {
    await using world = await startBenchWorld();
    await using people = await startPeople();
    await world.startWorker();
    const door = await world.startApi();
    return await measure({ world, people, door }, options);
  },
};

interface Parts {
  world: BenchWorld;
  people: People;
  door: { baseUrl: string; apiKey: string };
}

async function measure(parts: Parts, { smoke, say }: RowOptions): Promise<Measured> {
  const count = smoke ? sizes.smoke : sizes.full;
  const warm = await joinAndWrite(parts, count, 8);
  say(`with warm rooms: ${lost(warm)} of ${count} lost`);
  const taken = await countWarm(parts.world);
  const cold = await joinAndWrite(parts, count, 0);
  say(`without: ${lost(cold)} of ${count} lost`);
  return {
    figures: [
      ...figures('with warm rooms', warm),
      oneFigure({ name: 'with warm rooms: sessions that found one', unit: `of ${count}` }, taken),
      ...figures('without warm rooms', cold),
    ],
    notes: [
      `${count} conversations each, ${pace.atOnce} under way at once. A request that is answered 503 is made again after its Retry-After.`,
    ],
  };
}

async function joinAndWrite(
  { world, people, door }: Parts,
  conversations: number,
  warmRooms: number,
): Promise<FirstText[]> {
  const host = await world.startHost({ warmRooms });
  const result = await people.call('firstTexts', {
    door: { kind: 'parley', ...door },
    conversations,
    write: 'at once',
    ...pace,
  });
  await host.stop();
  return result;
}

const lost = (texts: readonly FirstText[]) => texts.filter(({ answeredMs }) => answeredMs === undefined).length;

function figures(kind: string, texts: readonly FirstText[]): Figure[] {
  const answered = texts.flatMap(({ answeredMs }) => answeredMs ?? []);
  const refused = texts.reduce((sum, text) => sum + text.refused, 0);
  return [
    oneFigure({ name: `${kind}: lost`, unit: `of ${texts.length}`, target: { text: '0', atMost: 0 } }, lost(texts)),
    oneFigure({ name: `${kind}: from the request to the answered text, p50`, unit: 'ms' }, quantile(answered, 0.5)),
    oneFigure({ name: `${kind}: the same, p99`, unit: 'ms' }, quantile(answered, 0.99)),
    oneFigure({ name: `${kind}: answers of 503`, unit: 'requests' }, refused),
  ];
}

async function countWarm(world: BenchWorld): Promise<number> {
  const rows = await world.admin.query<{ warm: number }>(
    sql`select count(*)::integer as warm from sessions where agent_ready_at = created_at`,
  );
  return rows[0]?.warm ?? 0;
}
