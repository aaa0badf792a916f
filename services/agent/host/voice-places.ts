import { bestEffort } from '../../process/best-effort.ts';
import type { Logger } from '../../process/logger.ts';

/**
 * Where one engine serves all, whoever comes at random waits ρ / (2 (1 − ρ)) times as long as the engine works for one (Pollaczek and
 * Khinchine, for work of equal length): 1.2 times at 0.7, 2 times at 0.8 and 4.5 times at 0.9.
 */
const tooMuchAt = 0.7;
const enoughRoomBelow = 0.5;
const lookEveryMs = 2_000;

export interface VoicePlacesDeps {
  /** Of the busiest engine of speech on this machine, the share of the last half a minute in which it worked. */
  load: () => number;
  /** How many spoken sessions this host takes: from now on those that it has, or one more than before. Undefined: it is not known now. */
  places: { close(): Promise<number | undefined>; openOne(): Promise<number | undefined> };
  /** What it carries when the engines have time. */
  most: number;
  logger: Pick<Logger, 'warn' | 'info'>;
}

/**
 * A host whose engines of speech can't keep up takes no more spoken sessions than it has, and one more with every look once they have
 * time again. Providers elsewhere are no work here.
 */
export class VoicePlaces {
  readonly #deps: VoicePlacesDeps;
  #known: number;

  constructor(deps: VoicePlacesDeps) {
    this.#deps = deps;
    this.#known = deps.most;
  }

  watch(): { stop(): void } {
    const look = () => void bestEffort('the database may be away: the next look tells it', this.look());
    const timer = setInterval(look, lookEveryMs);
    timer.unref();
    return { stop: () => clearInterval(timer) };
  }

  async look(): Promise<void> {
    const { load, places, most, logger } = this.#deps;
    const share = load();
    const before = this.#known;
    if (share >= tooMuchAt) this.#known = (await places.close()) ?? before;
    else if (share < enoughRoomBelow && before < most) this.#known = (await places.openOne()) ?? before;
    const facts = { places: this.#known, most, load: Math.round(100 * share) / 100 };
    if (before === most && this.#known < most)
      logger.warn(facts, 'speech on this machine cannot keep up: this host takes no more spoken sessions for now');
    if (before < most && this.#known === most)
      logger.info(facts, 'speech on this machine has time again: this host takes spoken sessions as before');
  }
}
