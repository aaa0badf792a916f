import { bestEffort } from '../process/best-effort.ts';
import type { Clock } from '../process/clock.ts';
import { one, type Queryable, sql } from './sql.ts';

/** What minutes are made of is told by one clock, the database's: those of processes may be wrong. */
export const databaseNow = async (q: Queryable): Promise<Date> =>
  (await one<{ now: Date }>(q, sql`select clock_timestamp() as now`)).now;

/** Milliseconds since the server was started or promoted: so long ago everybody had to find back to it. */
export const settledMs = async (q: Queryable): Promise<number> =>
  (await one<{ ms: number }>(q, sql`select settled_ms() as ms`)).ms;

/** An answer that took longer says little about the moment in which it was given … */
const slowMs = 250;
/** … and is taken all the same when there was no better one for so long: a database that failed over has another clock. */
const knownForMs = 30_000;
const askEveryMs = 5_000;

/**
 * The database's clock in a process: counted on from an answer of the database by this process's monotonic clock, so that neither a
 * wrong clock of the machine nor setting it matters. Until the first answer it is the machine's.
 */
export class DatabaseTime implements Clock {
  /** Between the database's milliseconds since 1970 and the monotonic ones of this process. */
  #offsetMs: number | undefined;
  #toldAtMs = 0;

  get isTold(): boolean {
    return this.#offsetMs !== undefined;
  }

  now(): Date {
    return this.#offsetMs === undefined ? new Date() : new Date(performance.now() + this.#offsetMs);
  }

  /** The database said `at` somewhere between `askedMs` (monotonic) and now. */
  learn(at: Date, askedMs: number): void {
    const nowMs = performance.now();
    if (nowMs - askedMs > slowMs && this.isTold && nowMs - this.#toldAtMs < knownForMs) return;
    this.#offsetMs = at.getTime() - (askedMs + nowMs) / 2;
    this.#toldAtMs = nowMs;
  }

  /** @throws what the database says instead */
  async ask(q: Queryable): Promise<void> {
    const askedMs = performance.now();
    this.learn(await databaseNow(q), askedMs);
  }

  /** Asks every 5 s, until what is returned is called. */
  keepAsking(q: Queryable): () => void {
    const ask = () => void bestEffort('it counts on by itself while nobody answers', this.ask(q));
    const timer = setInterval(ask, askEveryMs);
    return () => clearInterval(timer);
  }
}
