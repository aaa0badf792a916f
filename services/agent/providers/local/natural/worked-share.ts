/** Over which time is looked: some ten utterances of a host that has much to do. */
const windowMs = 30_000;

/** Of the last half a minute, how much an engine worked that does one thing at a time. */
export class WorkedShare {
  readonly #now: () => number;
  #done: { from: number; to: number }[] = [];
  #workingSince: number | undefined;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  async during<Value>(work: () => Promise<Value>): Promise<Value> {
    this.#workingSince = this.#now();
    try {
      return await work();
    } finally {
      this.#done.push({ from: this.#workingSince, to: this.#now() });
      this.#workingSince = undefined;
    }
  }

  /** 0 to 1. */
  get share(): number {
    const now = this.#now();
    const since = now - windowMs;
    this.#done = this.#done.filter(({ to }) => to > since);
    const done = this.#done.reduce((sum, { from, to }) => sum + to - Math.max(from, since), 0);
    const doing = this.#workingSince === undefined ? 0 : now - Math.max(this.#workingSince, since);
    return (done + doing) / windowMs;
  }
}
