import { randomOf } from '../support/stand-ins/manners/deck.ts';
import { endOf, type Fault, type FaultClass, faultClasses, manners, type Role } from './faults.ts';

/** What happens to the world in a seed. */
export interface Schedule {
  seed: number;
  faults: readonly Fault[];
  /** How long people talk; then everything is healed. */
  talkMs: number;
}

/** Faults of a drawn seed; a story may have more. */
const faultsOfASeed = 2;
const firstAtMs = 4_000;
/** Between faults that break the same: what the first one left behind is over by then. */
const apartMs = 4_000;
/** After the last fault, so that it is seen whether people are answered again before all is healed. */
const afterMs = 5_000;
const leastTalkMs = 20_000;
/** It takes the longest: it is drawn half as often as the others. */
const rare: FaultClass = 'stopped for 40 s';

const deck: readonly FaultClass[] = [...faultClasses, ...faultClasses.filter((name) => name !== rare)];

/** Always the same for the same seed. */
export function drawSchedule(seed: number): Schedule {
  const random = randomOf(seed);
  const classes: FaultClass[] = [];
  while (classes.length < faultsOfASeed) {
    const name = deck[Math.floor(random() * deck.length)] as FaultClass;
    if (!classes.includes(name)) classes.push(name);
  }
  return schedule(seed, classes);
}

/** Of these classes, in this order; the rest is drawn. @param shortest each lasts no longer than such faults do at least */
export function schedule(seed: number, classes: readonly FaultClass[], shortest = false): Schedule {
  // Apart from those by which classes are drawn: a story that names its classes draws the rest as they would.
  const random = randomOf(seed ^ 0x5eed);
  const faults: Fault[] = [];
  for (const name of classes) faults.push(drawFault(name, faults, { random, shortest }));
  const lastMs = Math.max(0, ...faults.map(endOf));
  return { seed, faults, talkMs: Math.max(leastTalkMs, lastMs + afterMs) };
}

function drawFault(
  name: FaultClass,
  earlier: readonly Fault[],
  { random, shortest }: { random: () => number; shortest: boolean },
): Fault {
  const { forMs, targets, means } = manners[name];
  const one = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const drawn = {
    class: name,
    forMs: shortest ? forMs[0] : one<number>(forMs),
    targets: one<readonly Role[]>(targets),
    ...(name === 'wrong clock' && { offMs: one([20_000, -20_000]) }),
  };
  if (means === 'nothing') return { ...drawn, atMs: 0 };
  const soMeans = earlier.filter((fault) => manners[fault.class].means === means);
  const freeAtMs = Math.max(firstAtMs, ...soMeans.map((fault) => endOf(fault) + apartMs));
  return { ...drawn, atMs: freeAtMs + Math.floor(random() * 4_000) };
}
