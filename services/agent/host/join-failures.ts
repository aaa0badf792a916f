import { remember } from '../../process/remember.ts';

const firstPauseMs = 500;
const longestPauseMs = 15_000;
/** Of the whole host: once the rooms are there again, what it carries is taken up well before a minute without an agent is over. */
const longestHostPauseMs = 4_000;
/** More than a host carries. */
const mostRemembered = 1_000;

const pauseMs = (failures: number, longestMs: number) => Math.min(longestMs, firstPauseMs * 2 ** (failures - 1));

/**
 * What failed joins say. A session that fails again and again is at fault itself, and waits longer each time; when several fail and none
 * succeeds it is the host, which takes up nothing for a while, so that others can.
 */
export class JoinFailures {
  readonly #now: () => number;
  readonly #ofSession = new Map<string, number>();
  /** Rooms and sessions that failed since a join last succeeded. */
  #inARow = new Set<string>();
  #rounds = 0;
  #pausedUntil = 0;

  /** @param now monotonic milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether this host may join rooms that it has not taken on yet. */
  get mayJoin(): boolean {
    return this.#now() >= this.#pausedUntil;
  }

  /**
   * A session could not be taken up, or a warm room not be opened. How long the host keeps the session before it gives it back: not at
   * all the first time, since another host may do better; then others have had their chance.
   */
  failed(name: string): number {
    const failures = (this.#ofSession.get(name) ?? 0) + 1;
    remember(this.#ofSession, name, failures, mostRemembered);
    this.#inARow.add(name);
    if (this.#inARow.size > 1 && this.mayJoin) {
      this.#rounds += 1;
      this.#pausedUntil = this.#now() + pauseMs(this.#rounds, longestHostPauseMs);
    }
    return failures > 1 ? pauseMs(failures - 1, longestPauseMs) : 0;
  }

  succeeded(name: string): void {
    this.#ofSession.delete(name);
    this.#inARow = new Set();
    this.#rounds = 0;
    this.#pausedUntil = 0;
  }
}
