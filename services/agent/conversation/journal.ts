import { bestEffort } from '../../process/best-effort.ts';
import { sleep } from '../../process/sleep.ts';
import { ifLate, within } from '../../process/within.ts';
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
  #tail: Promise<unknown> = Promise.resolve();
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
    this.#tail = bestEffort('who asked for the write hears of it; the next one is made all the same', done);
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
    const all = async () => {
      while (this.#entries > 0) await this.#tail;
      return true;
    };
    return within(deadlineMs, 'what is owed to the database', all()).catch(ifLate(false));
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
