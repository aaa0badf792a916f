interface Waiting {
  go(release: () => void): void;
}

/**
 * One thing at a time for whoever asks, in turns: who has much to do waits behind those who have little. Each may have so many things
 * waiting, and all together so many.
 */
export class FairQueue {
  readonly #mostEach: number;
  readonly #mostOverall: number;
  /** In the order in which they have their turn. */
  readonly #lines = new Map<object, Waiting[]>();
  #waiting = 0;
  #isBusy = false;

  constructor({ mostEach, mostOverall }: { mostEach: number; mostOverall: number }) {
    this.#mostEach = mostEach;
    this.#mostOverall = mostOverall;
  }

  /** Nobody works, and nobody waits. */
  get isIdle(): boolean {
    return !this.#isBusy;
  }

  /**
   * Runs `work` when it is the turn of whoever asks, unless `signal` aborts before.
   *
   * @throws Error when too much waits already, or when it was given up; what `work` throws
   */
  async run<Value>(who: object, work: () => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    const release = await this.#turn(who, signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  #turn(who: object, signal: AbortSignal | undefined): Promise<() => void> {
    signal?.throwIfAborted();
    if (!this.#isBusy) {
      this.#isBusy = true;
      return Promise.resolve(this.#releaser());
    }
    const line = this.#lines.get(who) ?? [];
    if (line.length >= this.#mostEach || this.#waiting >= this.#mostOverall)
      return Promise.reject(new Error(`${this.#waiting} wait already`));
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#remove(who, waiting);
        reject(signal?.reason);
      };
      const waiting: Waiting = {
        go: (release) => {
          signal?.removeEventListener('abort', leave);
          resolve(release);
        },
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#lines.set(who, [...line, waiting]);
      this.#waiting += 1;
    });
  }

  #remove(who: object, waiting: Waiting): void {
    const line = this.#lines.get(who);
    if (!line?.includes(waiting)) return;
    this.#waiting -= 1;
    const left = line.filter((one) => one !== waiting);
    if (left.length > 0) this.#lines.set(who, left);
    else this.#lines.delete(who);
  }

  #releaser(): () => void {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const [next] = this.#lines;
      const [who, [waiting] = []] = next ?? [];
      if (!who || !waiting) {
        this.#isBusy = false;
        return;
      }
      this.#remove(who, waiting);
      const left = this.#lines.get(who);
      // Behind the others until its next turn.
      if (left && this.#lines.delete(who)) this.#lines.set(who, left);
      waiting.go(this.#releaser());
    };
  }
}
