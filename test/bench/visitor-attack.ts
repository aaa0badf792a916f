import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { sleep } from '../../services/process/sleep.ts';
import { eventually } from '../support/eventually.ts';
import { Person } from '../support/people/person.ts';
import { type Flood, floods } from '../support/people/visitor.ts';
import { startWorld, type World } from '../support/world/world.ts';

/**
 * One visitor, in a process of its own, against a host that carries five neighbours: each flood at its full size, going on with the
 * same token whenever it is sent out. Prints what the neighbours felt. By hand: `node test/bench/visitor-attack.ts`.
 */
const attacks: readonly (readonly [Flood, number])[] = [
  ['streams', 20_000],
  ['packets', 200_000],
  ['tracks', 100],
];
const neighbours = 5;
const measuredBeforeMs = 15_000;
/** An attacker that is sent out again and again never sends all of it. */
const attackedForMs = 30_000;
const thinkMs = 300;
/** Between an attacker's tries with a token that no longer opens the room: it does not give up. */
const betweenTriesMs = 100;

/** The attacker's process: tells at the end how often it was sent out, and how often its token opened nothing any more. */
async function attack(what: Flood, count: number, connection: { wsUrl: string; token: string }): Promise<void> {
  const until = performance.now() + attackedForMs;
  let sentOut = 0;
  let refused = 0;
  while (performance.now() < until) {
    const visitor = await Person.join(connection).catch(() => undefined);
    if (!visitor) {
      refused += 1;
      await sleep(betweenTriesMs);
      continue;
    }
    const flood = floods[what](visitor, count);
    await Promise.race([flood, sleep(until - performance.now())]);
    // Whoever is sent out learns it a moment after the first call that the room does not take.
    await eventually('sent out', () => visitor.disconnectedBecause !== undefined, { withinMs: 2_000 }).then(
      () => {
        sentOut += 1;
      },
      () => visitor.leave(),
    );
  }
  process.stdout.write(`${JSON.stringify({ sentOut, refused })}\n`);
}

/** Milliseconds from a neighbour's text to the first piece of its answer. */
async function firstPiece(person: Person, text: string): Promise<number> {
  const from = person.replies.length;
  const askedAt = performance.now();
  await person.write(text);
  const reply = await person.hears(new RegExp(`^You said: ${text}$`), { from });
  return reply.firstChunkAt - askedAt;
}

async function askUntil(people: readonly Person[], isOver: () => boolean, name: string): Promise<number[]> {
  const times: number[] = [];
  const ask = async (person: Person, who: number) => {
    for (let i = 0; !isOver(); i += 1) {
      times.push(await firstPiece(person, `${name} ${who} ${i}`));
      await sleep(thinkMs);
    }
  };
  await Promise.all(people.map(ask));
  return times;
}

const quantile = (times: readonly number[], q: number) =>
  Math.round(times.toSorted((a, b) => a - b)[Math.floor(times.length * q)] ?? Number.NaN);

async function residentMb(world: World): Promise<number> {
  const status = await readFile(`/proc/${world.hosts[0]?.pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024);
}

async function main(): Promise<void> {
  await using world = await startWorld({ workers: 0, settings: { logLevel: 'error' } });
  const customer = await world.customer();
  const open = () => customer.createSession();
  /** A session has so many turns: others come for each attack. */
  const feltBy = async (isOver: () => boolean, name: string) => {
    const people: Person[] = [];
    while (people.length < neighbours) people.push(await Person.join(await open()));
    const times = await askUntil(people, isOver, name);
    for (const person of people) await person.leave();
    return times;
  };
  const settledAt = performance.now() + measuredBeforeMs;
  const before = await feltBy(() => performance.now() > settledAt, 'before');
  const print = (name: string, times: readonly number[], more: object) =>
    process.stdout.write(
      `${JSON.stringify({ name, asks: times.length, p50Ms: quantile(times, 0.5), p95Ms: quantile(times, 0.95), ...more })}\n`,
    );
  print('before', before, { hostMb: await residentMb(world) });
  for (const [what, count] of attacks) {
    const connection = await open();
    const args = [import.meta.filename, what, String(count), JSON.stringify(connection)];
    const attacker = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    const told: string[] = [];
    createInterface({ input: attacker.stdout }).on('line', (line) => told.push(line));
    let over = false;
    const exited = once(attacker, 'exit').then(() => {
      over = true;
    });
    const during = await feltBy(() => over, what);
    await exited;
    print(`during ${what}`, during, { hostMb: await residentMb(world), visitor: told.at(-1) });
  }
}

const [what, count, connection] = process.argv.slice(2);
if (what) await attack(what as Flood, Number(count), JSON.parse(connection ?? '{}'));
else await main();
process.exit(0);
