import { readFile } from 'node:fs/promises';
import { sleep } from '../../../services/process/sleep.ts';
import type { Customer } from '../../support/people/customer.ts';
import { Person } from '../../support/people/person.ts';
import type { Flood } from '../../support/people/visitor.ts';
import { startWorld, type World } from '../../support/world/world.ts';
import type { attackerCommands } from '../clients/attacker.ts';
import { startRemote } from '../remote.ts';
import type { Figure, Measured, Row, RowOptions } from '../row.ts';
import { figureOf, oneFigure, quantile } from '../statistics.ts';

/** What one visitor sends (targets.md), and how long an attacker that is sent out again and again tries on. */
const sizes = {
  full: { floods: { streams: 20_000, packets: 200_000, tracks: 100 }, forMs: 30_000, beforeMs: 15_000 },
  smoke: { floods: { streams: 2_000, packets: 20_000, tracks: 20 }, forMs: 3_000, beforeMs: 3_000 },
};
type Size = (typeof sizes)[keyof typeof sizes];

const neighbours = 5;
const thinkMs = 300;

/** What the neighbours of a hostile visitor feel in one round. */
interface Felt {
  beforeMs: number;
  duringMs: Record<Flood, number>;
  sentOut: Record<Flood, number>;
  hostMb: number;
}

/** One visitor, in a process of its own, against a host that carries five neighbours. */
export const visitorAttack: Row = {
  name: 'visitor-attack',
  title: 'A hostile visitor: what the neighbours on its host feel',
  against: 'the same neighbours before the attack',
  limitMinutes: 20,
  run: async (options) => {
    const rounds: Felt[] = [];
    while (rounds.length < options.pairs) {
      rounds.push(await oneRound(options));
      options.say(JSON.stringify(rounds.at(-1)));
    }
    return told(rounds, options.smoke ? sizes.smoke : sizes.full);
  },
};

async function oneRound({ smoke }: RowOptions): Promise<Felt> {
  const size = smoke ? sizes.smoke : sizes.full;
  await using world = await startWorld({ workers: 0, settings: { logLevel: 'error' } });
  const customer = await world.customer();
  const beforeMs = await p95OfNeighbours(customer, sleep(size.beforeMs));
  const duringMs: Record<Flood, number> = { streams: 0, packets: 0, tracks: 0 };
  const sentOut: Record<Flood, number> = { streams: 0, packets: 0, tracks: 0 };
  for (const what of ['streams', 'packets', 'tracks'] as const) {
    await using attacker = await startRemote<typeof attackerCommands>(
      new URL('../clients/attacker.ts', import.meta.url),
    );
    const connection = await customer.createSession();
    const attack = attacker.call('attack', { what, count: size.floods[what], forMs: size.forMs, connection });
    duringMs[what] = await p95OfNeighbours(customer, attack);
    sentOut[what] = (await attack).sentOut;
  }
  return { beforeMs, duringMs, sentOut, hostMb: await residentMb(world) };
}

/** From a text to the first piece of its answer, p95 in milliseconds, of five people who write until the end. */
async function p95OfNeighbours(customer: Customer, end: Promise<unknown>): Promise<number> {
  let isOver = false;
  const over = end.finally(() => {
    isOver = true;
  });
  const times: number[] = [];
  const people: Person[] = [];
  // A session has so many turns: others come for each attack.
  while (people.length < neighbours) people.push(await Person.join(await customer.createSession()));
  await Promise.all(
    people.map(async (person, who) => {
      for (let i = 0; !isOver; i += 1) {
        times.push(await firstPieceMs(person, `${who} ${i}`));
        await sleep(thinkMs);
      }
    }),
  );
  await over;
  for (const person of people) await person.leave();
  return quantile(times, 0.95);
}

async function firstPieceMs(person: Person, text: string): Promise<number> {
  const from = person.replies.length;
  const askedAt = performance.now();
  await person.write(text);
  const reply = await person.hears(new RegExp(`^You said: ${text}$`), { from });
  return reply.firstChunkAt - askedAt;
}

async function residentMb(world: World): Promise<number> {
  const status = await readFile(`/proc/${world.hosts[0]?.pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024);
}

function told(rounds: readonly Felt[], { floods, forMs }: Size): Measured {
  const during = (what: Flood): Figure =>
    figureOf(
      { name: `neighbours’ p95 while ${what} are sent`, unit: '×', target: { text: '≤ 2 × before', atMost: 2 } },
      rounds.map(({ duringMs, beforeMs }) => duringMs[what] / beforeMs),
    );
  const timesOut = (what: Flood): Figure =>
    oneFigure(
      {
        name: `rounds in which the sender of ${what} was sent out`,
        unit: 'rounds',
        target: { text: 'all', atLeast: rounds.length },
      },
      rounds.filter(({ sentOut }) => sentOut[what] > 0).length,
    );
  const kinds: Flood[] = ['streams', 'packets', 'tracks'];
  return {
    figures: [
      figureOf(
        { name: 'neighbours’ p95, before', unit: 'ms' },
        rounds.map(({ beforeMs }) => beforeMs),
      ),
      ...kinds.map(during),
      ...kinds.map(timesOut),
      figureOf(
        { name: 'the host’s resident memory, after', unit: 'MB' },
        rounds.map(({ hostMb }) => hostMb),
      ),
    ],
    notes: [
      `${floods.streams} open text streams, ${floods.packets} data packets, ${floods.tracks} tracks, one flood after the other by one visitor, who comes again with the same token for ${forMs / 1_000} s each time. Five neighbours on the same host write meanwhile.`,
      'From a neighbour’s text to the first piece of its answer. The attacker, the room server, the host and the neighbours share the cores: part of what is felt is the attacker’s own work, which elsewhere is its own machine’s.',
    ],
  };
}
