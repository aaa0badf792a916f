import { bestEffort } from '../../process/best-effort.ts';
import type { Clock } from '../../process/clock.ts';

/** An answer tells whole seconds, and machines that keep their clocks are nearer to each other than that shows. */
const toldMs = 1_000;
const tellableMs = 2_000;
const askEveryMs = 30_000;
const answersWithinMs = 3_000;

/**
 * The room server's clock, of which its events and lists speak, in terms of ours. What it is ahead is told by the `Date` of its
 * answers (RFC 9110, 6.6.1). Of several room servers behind one address, one answers for all.
 */
export class RoomServerTime {
  readonly #clock: Clock;
  #aheadMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds since 1970 by our clock for what the room server says. */
  ours(ms: number): number {
    return ms - this.#aheadMs;
  }

  /** Asks the room server at this address (ws… or http…) now. @throws when it does not answer */
  async ask(url: string): Promise<void> {
    const asked = this.#clock.now().getTime();
    const answer = await fetch(url.replace(/^ws/, 'http'), { signal: AbortSignal.timeout(answersWithinMs) });
    await answer.body?.cancel();
    const told = Date.parse(answer.headers.get('date') ?? '');
    const aheadMs = told + toldMs / 2 - (asked + this.#clock.now().getTime()) / 2;
    this.#aheadMs = Math.abs(aheadMs) > tellableMs ? aheadMs : 0;
  }

  /** Asks now and every 30 s, until what is returned is called. */
  keepAsking(url: string): () => void {
    const ask = () => void bestEffort('what was told last holds on', this.ask(url));
    ask();
    const timer = setInterval(ask, askEveryMs);
    return () => clearInterval(timer);
  }
}
