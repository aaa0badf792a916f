interface Waiter {
  resolve(release: (() => void) | undefined): void;
  signal: AbortSignal;
}

/** At most so many at once; others wait in line, and the line has an end. */
export class Slots {
  #free: number;
  readonly #mostWaiting: number;
  readonly #waiting = new Set<Waiter>();

  constructor(slots: number, mostWaiting: number) {
    this.#free = slots;
    this.#mostWaiting = mostWaiting;
  }

  /**
   * Gives the function that frees the slot again, or undefined when `signal` aborted before there was one.
   *
   * @throws Error when too many wait already
   */
  async take(signal: AbortSignal): Promise<(() => void) | undefined> {
    if (signal.aborted) return undefined;
    if (this.#free > 0) {
      this.#free -= 1;
      return this.#releaser();
    }
    if (this.#waiting.size >= this.#mostWaiting) throw new Error(`${this.#mostWaiting} wait already`);
    return new Promise((resolve) => {
      const waiter = { resolve, signal };
      this.#waiting.add(waiter);
      signal.addEventListener(
        'abort',
        () => {
          if (this.#waiting.delete(waiter)) resolve(undefined);
        },
        { once: true },
      );
    });
  }

  #releaser(): () => void {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const [next] = this.#waiting;
      if (!next) {
        this.#free += 1;
        return;
      }
      this.#waiting.delete(next);
      next.resolve(this.#releaser());
    };
  }
}
