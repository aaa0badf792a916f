/** From a state to a state, by a word or by nothing. */
export type Transition = readonly [from: number, to: number, probability: number, word?: string];

/** The words that may stand at one place, or `gap`: up to two little words. */
export type Step = readonly string[] | 'gap';

export interface Sequence {
  steps: readonly Step[];
  /** Nothing may come before it. */
  isFirst: boolean;
  /** Nothing may come after it. */
  isLast: boolean;
}

export interface Network {
  start: number;
  end: number;
  transitions: Transition[];
}

/** What may stand around the sequences that a script names. */
export interface Surroundings {
  /** Within a gap. */
  little: readonly string[];
  /** Before the first sequence, such as "I would like to". */
  leads: readonly (readonly Step[])[];
  /** Between two sequences, such as "and". */
  joints: readonly string[];
}

const start = 0;
/** A sequence may begin. */
const ready = 1;
/** Something was said; more may follow. */
const said = 2;
const end = 3;

/**
 * The sequences as a network of states: one of them, or several one after another. Sequences that begin alike share their
 * beginning. A network and no text of grammar rules, because pocketsphinx makes a copy of a rule wherever it is named and joins
 * the copies by empty transitions: a million of them for one restaurant, and 10 s for an utterance.
 */
export function networkOf(sequences: readonly Sequence[], { little, leads, joints }: Surroundings): Network {
  const builder = new NetworkBuilder(little);
  for (const { steps, isFirst, isLast } of sequences) builder.add(isFirst ? start : ready, steps, isLast ? end : said);
  for (const lead of leads) builder.add(start, lead, ready);
  for (const word of joints) builder.add(said, [[word]], ready);
  builder.join(start, ready);
  builder.join(said, ready);
  builder.join(said, end);
  return { start, end, transitions: builder.transitions() };
}

class NetworkBuilder {
  readonly #little: readonly string[];
  readonly #transitions = new Map<string, Transition>();
  /** Where a beginning leads, by its state and words. */
  readonly #states = new Map<string, number>();
  #last = end;

  constructor(little: readonly string[]) {
    this.#little = little;
  }

  add(from: number, steps: readonly Step[], to: number): void {
    for (const whole of this.#withoutGaps(steps)) this.#path(from, whole, to);
  }

  join(from: number, to: number): void {
    this.#transitions.set(`${from} ${to}`, [from, to, 1]);
  }

  transitions(): Transition[] {
    return [...this.#transitions.values()];
  }

  #withoutGaps(steps: readonly Step[]): (readonly string[])[][] {
    const [first, ...rest] = steps;
    if (first === undefined) return [[]];
    const ways = first === 'gap' ? [[], [this.#little], [this.#little, this.#little]] : [[first]];
    const tails = this.#withoutGaps(rest);
    return ways.flatMap((way) => tails.map((tail) => [...way, ...tail]));
  }

  #path(from: number, steps: readonly (readonly string[])[], to: number): void {
    let state = from;
    for (const [index, words] of steps.entries()) {
      const next = index === steps.length - 1 ? to : this.#stateAfter(state, words);
      for (const word of words) this.#transitions.set(`${state} ${next} ${word}`, [state, next, 1, word]);
      state = next;
    }
  }

  #stateAfter(state: number, words: readonly string[]): number {
    const key = `${state} ${words.join(' ')}`;
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    this.#last += 1;
    this.#states.set(key, this.#last);
    return this.#last;
  }
}
