/** How long one that failed is passed over. */
const restMs = 30_000;

/** Things that can stand in for one another, the first one preferred. One that failed rests, then has its turn again. */
export class InOrder<Item> {
  readonly #items: readonly [Item, ...Item[]];
  readonly #restsUntil = new Map<Item, number>();
  readonly #now: () => number;

  constructor(items: readonly [Item, ...Item[]], now: () => number = Date.now) {
    this.#items = items;
    this.#now = now;
  }

  get first(): Item {
    return this.#items[0];
  }

  get size(): number {
    return this.#items.length;
  }

  /** Those that may be asked now, in order; all of them when each one rests. One alone is asked twice. */
  attempts(): readonly Item[] {
    if (this.#items.length === 1) return [this.first, this.first];
    const rested = this.#items.filter((item) => (this.#restsUntil.get(item) ?? 0) <= this.#now());
    const resting = this.#items.filter((item) => !rested.includes(item));
    return [...rested, ...resting];
  }

  succeeded(item: Item): void {
    this.#restsUntil.delete(item);
  }

  failed(item: Item): void {
    this.#restsUntil.set(item, this.#now() + restMs);
  }
}
