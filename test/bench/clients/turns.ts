import { setTimeout as pause } from 'node:timers/promises';

const lookEveryMs = 5;

export interface Turns {
  /** Of each person. */
  turns: number;
  /** Between the beginnings of two turns of one person; persons take turns within it. */
  everyMs: number;
}

export interface Taken {
  /** From the last sound of the person to the first of the answer. */
  latenciesMs: number[];
  missed: number;
}

/** Turns at a fixed rate, whether or not earlier ones were answered. `turn` gives the latency of one; undefined when it is missed. */
export async function takeTurns<Person>(
  people: readonly Person[],
  { turns, everyMs }: Turns,
  turn: (person: Person) => Promise<number | undefined>,
): Promise<Taken> {
  const taken: Taken = { latenciesMs: [], missed: 0 };
  const began = performance.now() + 100;
  const one = async (person: Person, index: number) => {
    for (let nth = 0; nth < turns; nth += 1) {
      await pause(Math.max(0, began + (nth + index / people.length) * everyMs - performance.now()));
      const latency = await turn(person);
      if (latency === undefined) taken.missed += 1;
      else taken.latenciesMs.push(latency);
    }
    // The last answer is heard out: what it costs belongs to the turn.
    await pause(Math.max(0, began + (turns + index / people.length) * everyMs - performance.now()));
  };
  await Promise.all(people.map(one));
  return taken;
}

/** Undefined when it does not come true in time. */
export async function when<Fact>(look: () => Fact | undefined, withinMs: number): Promise<Fact | undefined> {
  const deadline = performance.now() + withinMs;
  while (performance.now() < deadline) {
    const fact = look();
    if (fact !== undefined) return fact;
    await pause(lookEveryMs);
  }
  return undefined;
}
