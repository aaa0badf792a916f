import type { Output } from '../output.ts';

/** All that is being said at the moment, by number: the turn's output, and those of lines said meanwhile. */
export class Outputs {
  readonly #make: () => Output;
  readonly #open = new Map<number, Output>();
  #lastWordsAt = Number.NEGATIVE_INFINITY;

  /** `make`: written or aloud, as the session is at that moment. */
  constructor(make: () => Output) {
    this.#make = make;
  }

  open(number: number, segment?: string): Output {
    const output = this.#make();
    this.#open.set(number, output);
    output.begin(segment);
    return output;
  }

  /** When the last words were out, on the monotonic clock. */
  get lastWordsAt(): number {
    return this.#lastWordsAt;
  }

  /** All words of this one are on their way. */
  saidAll(number: number): void {
    if (this.#open.get(number)?.hasWords) this.#lastWordsAt = performance.now();
  }

  close(number: number): void {
    this.saidAll(number);
    this.#open.delete(number);
  }

  stop(): void {
    for (const output of this.#open.values()) output.stop();
  }

  mute(): void {
    for (const output of this.#open.values()) output.mute();
  }

  /** The connection was lost: what was just said may not have arrived. */
  doubtArrival(): void {
    for (const output of this.#open.values()) output.interrupted();
  }
}
