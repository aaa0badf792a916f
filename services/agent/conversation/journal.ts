import { bestEffort } from '../../process/best-effort.ts';
import { sleep } from '../../process/sleep.ts';
import { ifLate, within } from '../../process/within.ts';
import { isDatabaseUnavailable } from '../../store/database.ts';
import type { Owed } from '../../store/tables/owed.ts';
import type { Kept, OwedKeeper } from '../owed/kept.ts';

/** What a conversation may owe the database while that is away; beyond it the person is told to wait. */
const maxEntries = 400;
const retryMs = 250;

export interface JournalProblem {
  kind: 'unavailable' | 'refused';
  error: unknown;
}

interface Entry {
  owed: Owed | undefined;
  kept?: Kept;
}

/**
 * The writes of one conversation, in order, one at a time. While the database is away they wait here (bounded), and as data on the
 * machine's disk where there is a `keeper`, and the conversation goes on; once the database is back they are made up for. A write that
 * the database refuses is dropped and reported.
 */
export class Journal {
  readonly #onProblem: (problem: JournalProblem) => void;
  readonly #keeper: OwedKeeper | undefined;
  readonly #entries = new Set<Entry>();
  #tail: Promise<unknown> = Promise.resolve();
  #offline: PromiseWithResolvers<void> | undefined;
  #isOffline = false;
  /** Until all that was to be kept so far survives this process. */
  #keeping: Promise<void> | undefined;
  #abandoned = false;

  constructor(onProblem: (problem: JournalProblem) => void, keeper?: OwedKeeper) {
    this.#onProblem = onProblem;
    this.#keeper = keeper;
  }

  get full(): boolean {
    return this.#entries.size >= maxEntries || (this.#isOffline && (this.#keeper?.full ?? false));
  }

  get offline(): boolean {
    return this.#isOffline;
  }

  /**
   * Makes the write after all earlier ones; the promise is settled when it is made (undefined: it was refused or given up). `owed` is
   * the same write as data; `work` hears whether it had to be kept.
   */
  write<Result>(work: (wasKept: boolean) => Promise<Result>, owed?: Owed): Promise<Result | undefined> {
    const entry: Entry = { owed };
    this.#entries.add(entry);
    if (this.#isOffline) this.#keep(entry);
    const done = this.#tail
      .then(() => this.#attempt(work, entry))
      .finally(() => {
        this.#entries.delete(entry);
      });
    this.#tail = bestEffort('who asked for the write hears of it; the next one is made all the same', done);
    return done;
  }

  /**
   * Resolves when `written` is, or as soon as the database is known to be away and what is owed by now is kept: nobody waits for it in
   * silence.
   */
  async settledOrOffline(written: Promise<unknown>): Promise<void> {
    if (!this.#isOffline) {
      this.#offline ??= Promise.withResolvers<void>();
      await Promise.race([written, this.#offline.promise]);
    }
    if (this.#isOffline) await Promise.race([written, this.#keeping]);
  }

  /** Resolves when everything is written, or after `deadlineMs`; false when something is still owed. */
  async drained(deadlineMs: number): Promise<boolean> {
    const all = async () => {
      while (this.#entries.size > 0) await this.#tail;
      return true;
    };
    return within(deadlineMs, 'what is owed to the database', all()).catch(ifLate(false));
  }

  /** Nothing more is tried here: the session belongs to somebody else. What was kept is left as evidence. */
  abandon(): void {
    this.#abandoned = true;
  }

  async #attempt<Result>(work: (wasKept: boolean) => Promise<Result>, entry: Entry): Promise<Result | undefined> {
    while (!this.#abandoned) {
      try {
        const result = await work(entry.kept !== undefined);
        this.#isOffline = false;
        entry.kept?.forget();
        return result;
      } catch (error) {
        if (!isDatabaseUnavailable(error)) {
          this.#onProblem({ kind: 'refused', error });
          entry.kept?.forget();
          return undefined;
        }
        if (!this.#isOffline) this.#goOffline(error);
        await sleep(retryMs);
      }
    }
    entry.kept?.leave();
    return undefined;
  }

  #goOffline(error: unknown): void {
    this.#onProblem({ kind: 'unavailable', error });
    this.#isOffline = true;
    for (const entry of this.#entries) this.#keep(entry);
    this.#offline?.resolve();
    this.#offline = undefined;
  }

  #keep(entry: Entry): void {
    if (!entry.owed || entry.kept || !this.#keeper) return;
    entry.kept = this.#keeper.keep(entry.owed);
    this.#keeping = entry.kept.written;
  }
}
