/** One way of a real provider, and who has told of it: an issue or a page of its documentation. */
export interface Manner {
  readonly name: string;
  readonly source: string;
}

/**
 * Manners in an order that a seed decides, each as often as the others: a shuffled deck, shuffled anew when it is empty. Counts
 * what was drawn.
 */
export class Deck<One extends Manner> {
  readonly #manners: readonly One[];
  readonly #random: () => number;
  #left: One[] = [];
  readonly #drawn = new Map<string, number>();

  constructor(manners: readonly [One, ...One[]], seed: number) {
    this.#manners = manners;
    this.#random = randomOf(seed);
  }

  draw(): One {
    if (this.#left.length === 0) this.#left = this.#shuffled();
    const drawn = this.#left.pop() as One;
    this.#drawn.set(drawn.name, (this.#drawn.get(drawn.name) ?? 0) + 1);
    return drawn;
  }

  /** How often each was drawn, those that never were included. */
  get counts(): Record<string, number> {
    return Object.fromEntries(this.#manners.map(({ name }) => [name, this.#drawn.get(name) ?? 0]));
  }

  #shuffled(): One[] {
    const order = this.#manners.map((manner) => ({ manner, place: this.#random() }));
    return order.sort((a, b) => a.place - b.place).map(({ manner }) => manner);
  }
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
