import { sleep } from '../../process/sleep.ts';
import { isDatabaseUnavailable } from '../../store/database.ts';

/** What a conversation may owe the database while that is away; beyond it the person is told to wait. */
const maxEntries = 400;
const retryMs = 250;

export interface JournalProblem {
  kind: 'unavailable' | 'refused';
  error: unknown;
}

/**
 * The writes of one conversation, in order, one at a time. While the database is away they wait here (bounded) and the
 * conversation goes on; once it is back they are made up for. A write that the database refuses is dropped and reported.
 */
export class Journal {
  readonly #onProblem: (problem: JournalProblem) => void;
  #tail: Promise<void> = Promise.resolve();
  #entries = 0;
  #offline: PromiseWithResolvers<void> | undefined;
  #isOffline = false;
  #abandoned = false;

  constructor(onProblem: (problem: JournalProblem) => void) {
    this.#onProblem = onProblem;
  }

  get full(): boolean {
    return this.#entries >= maxEntries;
  }

  get offline(): boolean {
    return this.#isOffline;
  }

  /** Makes the write after all earlier ones; the promise is settled when it is made (undefined: it was refused or given up). */
  write<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    this.#entries += 1;
    const done = this.#tail
      .then(() => this.#attempt(work))
      .finally(() => {
        this.#entries -= 1;
      });
    this.#tail = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }

  /** Resolves when `written` is, or as soon as the database is known to be away: nobody waits for it in silence. */
  async settledOrOffline(written: Promise<unknown>): Promise<void> {
    if (this.#isOffline) return;
    this.#offline ??= Promise.withResolvers<void>();
    await Promise.race([written, this.#offline.promise]);
  }

  /** Resolves when everything is written, or after `deadlineMs`; false when something is still owed. */
  async drained(deadlineMs: number): Promise<boolean> {
    const late = Promise.withResolvers<false>();
    const timer = setTimeout(late.resolve, deadlineMs, false);
    const all = async (): Promise<true> => {
      while (this.#entries > 0) await this.#tail;
      return true;
    };
    const result = await Promise.race([all(), late.promise]);
    clearTimeout(timer);
    return result;
  }

  /** Nothing more is tried: the session belongs to somebody else. */
  abandon(): void {
    this.#abandoned = true;
  }

  async #attempt<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    while (!this.#abandoned) {
      try {
        const result = await work();
        this.#isOffline = false;
        return result;
      } catch (error) {
        if (!isDatabaseUnavailable(error)) {
          this.#onProblem({ kind: 'refused', error });
          return undefined;
        }
        if (!this.#isOffline) this.#onProblem({ kind: 'unavailable', error });
        this.#isOffline = true;
        this.#offline?.resolve();
        this.#offline = undefined;
        await sleep(retryMs);
      }
    }
    return undefined;
  }
}
