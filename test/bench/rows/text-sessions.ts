import type { Entered, Talked } from '../clients/people.ts';
import { memoryOf } from '../memory.ts';
import type { Measured, Row, RowOptions } from '../row.ts';
import { figureOf, oneFigure, quantile } from '../statistics.ts';
import { type BenchWorld, type Door, startBenchWorld } from '../world.ts';
import { type People, startPeople } from './people.ts';

const sizes = {
  full: { sessions: 400, talkers: 200, everyMs: 20_000, texts: 3, burst: 50 },
  smoke: { sessions: 20, talkers: 10, everyMs: 2_000, texts: 2, burst: 10 },
};
const joinsAtOnce = 4;

/** Hundreds of conversations in one process, on the cores that server, database and clients use too. */
export const textSessions: Row = {
  name: 'text-sessions',
  title: 'Text: sessions of one host process',
  against: 'fixed limits',
  limitMinutes: 30,
  run: async (options) => {
    await using world = await startBenchWorld();
    await world.startWorker();
    const door = await world.startApi();
    return await measure(world, door, options);
  },
};

interface Round {
  burst: Entered;
  filled: Entered;
  talked: Talked;
  rss: number;
}

async function measure(world: BenchWorld, door: Door, { pairs, smoke, say }: RowOptions): Promise<Measured> {
  const size = smoke ? sizes.smoke : sizes.full;
  const rounds: Round[] = [];
  for (let round = 0; round < pairs; round += 1) {
    const one = await fillAndTalk(world, door, size);
    rounds.push(one);
    say(`burst ${(one.burst.tookMs / 1000).toFixed(1)} s, p95 ${quantile(one.talked.latenciesMs, 0.95).toFixed(1)} ms`);
  }
  const of = (read: (round: Round) => number) => rounds.map(read);
  const atMost5 = { text: '≤ 5 s', atMost: 5 };
  const lost = ({ burst, filled, talked }: Round) => burst.lost + filled.lost + talked.lost;
  return {
    figures: [
      figureOf(
        {
          name: 'joined in one process',
          unit: 'sessions',
          target: { text: `≥ ${size.sessions}`, atLeast: size.sessions },
        },
        of(({ filled }) => filled.present),
      ),
      figureOf(
        {
          name: `first piece of a reply, ${size.talkers} talking, p95`,
          unit: 'ms',
          target: { text: '≤ 60 ms', atMost: 60 },
        },
        of(({ talked }) => quantile(talked.latenciesMs, 0.95)),
      ),
      figureOf(
        { name: 'the same, p50', unit: 'ms' },
        of(({ talked }) => quantile(talked.latenciesMs, 0.5)),
      ),
      figureOf(
        { name: 'the same, the slowest', unit: 'ms' },
        of(({ talked }) => Math.max(...talked.latenciesMs)),
      ),
      figureOf(
        { name: `a burst of ${size.burst}: all joined and answered`, unit: 's', target: atMost5 },
        of(({ burst }) => burst.tookMs / 1000),
      ),
      figureOf(
        { name: 'requests of the burst that were answered 503 first', unit: 'answers' },
        of(({ burst }) => burst.refused),
      ),
      figureOf({ name: 'texts without an answer', unit: 'texts', target: { text: '0', atMost: 0 } }, of(lost)),
      figureOf(
        { name: 'memory of the host, RSS', unit: 'MB' },
        of(({ rss }) => rss),
      ),
      oneFigure({ name: 'texts a round', unit: 'texts' }, size.talkers * size.texts),
    ],
    notes: [
      `A text every ${size.everyMs / 1000} s from each of ${size.talkers}, at fixed times spread evenly, counted from the moment it was due.`,
      `The burst comes first, to a host with 4 warm rooms: ${size.burst} requests at once, each person joins and writes at once; a 503 is asked again after its Retry-After.`,
    ],
  };
}

async function fillAndTalk(world: BenchWorld, door: Door, size: (typeof sizes)['full']): Promise<Round> {
  const host = await world.startHost({ capacity: size.sessions + 20 });
  await using people = await startPeople();
  const burst = await enter(people, door, size.burst, size.burst);
  const filled = await enter(people, door, size.sessions - size.burst, joinsAtOnce);
  const talked = await people.call('talk', { talkers: size.talkers, texts: size.texts, everyMs: size.everyMs });
  const { rss } = await memoryOf(host.pid).catch(() => ({ rss: Number.NaN }));
  await people.call('leaveAll', undefined);
  await host.stop();
  return { burst, filled, talked, rss };
}

const enter = (people: People, door: Door, count: number, atOnce: number) =>
  people.call('enter', { door: { kind: 'parley', ...door }, count, atOnce });
