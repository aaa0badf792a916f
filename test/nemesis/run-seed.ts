import { sleep } from '../../services/process/sleep.ts';
import { eventually } from '../support/eventually.ts';
import type { Customer } from '../support/people/customer.ts';
import type { Evidence, LineStored } from './evidence.ts';
import { type Fault, needsNodes } from './faults.ts';
import { History, renderHistory } from './history.ts';
import { verdict } from './judges/judges.ts';
import { perform } from './perform.ts';
import type { Schedule } from './schedule.ts';
import { Talker } from './talker.ts';
import { Vanisher } from './vanisher.ts';
import type { NemesisWorld } from './world.ts';

export interface Outcome {
  seed: number;
  /** That were performed; what the machine does not allow is left out. */
  faults: readonly Fault[];
  /** What was against the judges; nothing when all was well. */
  violations: string[];
  history: string;
  seconds: number;
  texts: number;
  answered: number;
}

const people = 4;
const vanishesAtMs = 3_000;
/** Beyond the bound that is judged. */
const endedWithinMs = 90_000;
const knownWithinMs = 15_000;

/** Heals what an earlier seed has left, has people talk while the faults of the schedule happen, heals, and judges. */
export async function runSeed(nemesis: NemesisWorld, drawn: Schedule): Promise<Outcome> {
  const began = performance.now();
  const faults = drawn.faults.filter((fault) => nemesis.places.nodes || !needsNodes(fault.class));
  const schedule = { ...drawn, faults };
  await prepare(nemesis, faults);
  const ranLabels = nemesis.tools.requests.length;
  const history = new History();
  const { sessions, takenForGone } = await converse(nemesis, schedule, history);
  const toolRuns = nemesis.tools.requests.slice(ranLabels).map(({ body }) => String(body.label));
  const evidence = await gather(nemesis, { schedule, history, sessions, takenForGone, toolRuns });
  const count = (kind: 'wrote' | 'not answered') => history.entries.filter((entry) => entry.kind === kind).length;
  return {
    ...{ seed: schedule.seed, faults, violations: verdict(evidence), history: renderHistory(history.entries) },
    seconds: Math.round((performance.now() - began) / 1_000),
    texts: count('wrote'),
    answered: count('wrote') - count('not answered'),
  };
}

async function prepare(nemesis: NemesisWorld, faults: readonly Fault[]): Promise<void> {
  const { primary, processes, proxies, witness } = nemesis;
  for (const way of Object.values(proxies)) way.giveUp();
  if (faults.some((fault) => fault.class === 'promotion')) await primary.withStandby();
  await processes.restore();
  for (const { targets, offMs = 0 } of faults.filter((fault) => fault.class === 'wrong clock'))
    for (const role of targets) await processes.restart(role, offMs);
  const withRooms = async () => (await witness.hostsWithRooms()) >= 2;
  await eventually('both hosts have warm rooms', withRooms, { withinMs: 60_000 });
}

async function converse(
  nemesis: NemesisWorld,
  { seed, faults, talkMs }: Schedule,
  history: History,
): Promise<Pick<Parts, 'sessions' | 'takenForGone'>> {
  const [one, other] = nemesis.customers as [Customer, Customer];
  const join = (index: number) => Talker.join(`seed ${seed} person ${index}`, index % 2 ? one : other, history);
  const [vanisher, ...talkers] = await Promise.all([
    Vanisher.join(one, history),
    ...Array.from({ length: people }, (_, index) => join(index)),
  ]);
  await using _gone = vanisher;
  const performed = Promise.all(faults.map((fault) => perform(nemesis, fault, history)));
  let isHealed = false;
  const healed = performed.then(() => {
    isHealed = true;
  });
  const isOver = () => isHealed && history.at() > talkMs;
  await Promise.all([healed, vanish(vanisher, history), ...talkers.map((talker) => talker.talk(isOver))]);
  await Promise.all(talkers.map((talker) => talker.goesOn()));
  const takenForGone = await settle(nemesis, talkers, history);
  await Promise.all(talkers.map((talker, index) => (index === 0 ? talker.leave() : talker.end())));
  return { sessions: [vanisher, ...talkers].map(({ session }) => session), takenForGone };
}

async function vanish(vanisher: Vanisher, history: History): Promise<void> {
  await sleep(Math.max(0, vanishesAtMs - history.at()));
  await vanisher.vanish();
}

/** Until all that is owed is written; gives the sessions in which nobody is known to be, although somebody is. */
async function settle({ witness }: NemesisWorld, talkers: readonly Talker[], history: History): Promise<string[]> {
  const here = talkers.filter(({ isThere }) => isThere).map(({ session }) => session);
  const sessions = talkers.map(({ session }) => session);
  // What is not so by then is judged as it is.
  const patience = { withinMs: knownWithinMs, everyMs: 200 };
  await eventually(
    'all is answered',
    async () => (await witness.lines(sessions, history)).every(isClosed),
    patience,
  ).catch(() => undefined);
  const isKnown = async () => (await witness.withoutPerson(here)).length === 0;
  return eventually('everybody is known to be there', isKnown, patience).then(
    () => [],
    () => witness.withoutPerson(here),
  );
}

const isClosed = ({ role, isAnswered }: LineStored) => role !== 'USER' || isAnswered;

interface Parts {
  schedule: Schedule;
  history: History;
  sessions: readonly string[];
  takenForGone: readonly string[];
  toolRuns: readonly string[];
}

async function gather({ witness, processes }: NemesisWorld, parts: Parts): Promise<Evidence> {
  const { history, sessions, ...known } = parts;
  const areEnded = async () => (await witness.live(sessions)).length === 0;
  // Whatever still goes on then is judged as it is.
  await eventually('all have ended', areEnded, { withinMs: endedWithinMs, everyMs: 200 }).catch(() => undefined);
  const deaths = await witness.deaths(history);
  return {
    ...known,
    entries: history.entries,
    sessions: await witness.sessions(sessions, history),
    lines: await witness.lines(sessions, history),
    departures: await witness.departures(sessions, history),
    deaths: deaths.flatMap(({ host, atMs }) => {
      const role = processes.aliveAs(host);
      return role ? [{ role, atMs }] : [];
    }),
    ...(await witness.minutes()),
  };
}
