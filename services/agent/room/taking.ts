import { within } from '../../process/within.ts';

export interface TakingTimes {
  undisturbedMs: number;
  disturbedMs: number;
}

const times: TakingTimes = {
  // The first words of a connection open a channel of their own, which the native layer gives up after 15 s (rust-sdks,
  // ICE_CONNECT_TIMEOUT). Until then they are late, and still arrive: on busy cores that took more than 2.5 s.
  undisturbedMs: 16_000,
  // A write that was under way when the connection was made anew may never be answered (seen once in about 100 runs of the
  // proofs, on a busy machine): the words count as lost then, and are said again.
  disturbedMs: 2_500,
};

/** How long what is sent into a room may take. */
export class Taking {
  readonly #times: TakingTimes;
  readonly #underWay = new Set<() => void>();

  constructor(given = times) {
    this.#times = given;
  }

  /** @throws TooLate, or what `work` rejects with */
  async inTime<Result>(work: Promise<Result>): Promise<Result> {
    const { undisturbedMs, disturbedMs } = this.#times;
    const disturbed = Promise.withResolvers<void>();
    this.#underWay.add(disturbed.resolve);
    const takenYet = disturbed.promise.then(() => within(disturbedMs, 'the room', work));
    try {
      return await within(undisturbedMs, 'the room', Promise.race([work, takenYet]));
    } finally {
      this.#underWay.delete(disturbed.resolve);
    }
  }

  /** The connection is being made anew. */
  disturb(): void {
    for (const tell of this.#underWay) tell();
  }
}
