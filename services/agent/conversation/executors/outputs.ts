import { remember } from '../../../process/remember.ts';
import type { Draft } from '../../../store/tables/messages.ts';
import type { Output } from '../output.ts';

/** Where what is said will stand in the transcript: behind the text that it answers, once that is stored, or under a key of its own. */
export type PlaceToBe = { turn: Promise<number | undefined> } | { key: string };

interface Open {
  output: Output;
  place: PlaceToBe;
}

/** Words that are out. */
export interface Out {
  place: PlaceToBe;
  draft: Draft;
  at: number;
}

/** Of more than this within a few seconds nobody waits for the first. */
const mostOut = 20;

/** All that is being said at the moment, by number: the turn's output, and those of lines said meanwhile. */
export class Outputs {
  readonly #make: () => Output;
  readonly #open = new Map<number | string, Open>();
  readonly #out = new Map<string, Out>();

  /** `make`: written or aloud, as the session is at that moment. */
  constructor(make: () => Output) {
    this.#make = make;
  }

  open(name: number | string, place: PlaceToBe, segment?: string): Output {
    const output = this.#make();
    this.#open.set(name, { output, place });
    output.begin(segment);
    return output;
  }

  /** When the last words were out, on the monotonic clock. */
  get lastWordsAt(): number {
    return Math.max(Number.NEGATIVE_INFINITY, ...[...this.#out.values()].map(({ at }) => at));
  }

  /** What was out at this moment, on the monotonic clock, has arrived. */
  arrived(until: number): void {
    for (const [segment, { at }] of this.#out) if (at <= until) this.#out.delete(segment);
  }

  /** What was written and is out since then, on the monotonic clock; each once, as it was said last. */
  writtenSince(from: number): Out[] {
    return [...this.#out.values()].filter(({ at, draft }) => at >= from && draft.content);
  }

  /** All words of this one are on their way. */
  saidAll(name: number | string): void {
    const { output, place } = this.#open.get(name) ?? {};
    if (!output?.hasWords || !place) return;
    const { segment, mode, said } = output;
    // What is spoken is stored as far as it was heard.
    const content = mode === 'TEXT' ? said : '';
    remember(
      this.#out,
      segment,
      { place, at: performance.now(), draft: { segment, content, told: 0, complete: true } },
      mostOut,
    );
  }

  close(name: number | string): void {
    this.saidAll(name);
    this.#open.delete(name);
  }

  stop(): void {
    for (const { output } of this.#open.values()) output.stop();
  }

  mute(): void {
    for (const { output } of this.#open.values()) output.mute();
  }

  /** The connection was lost: what was just said may not have arrived. */
  doubtArrival(): void {
    for (const { output } of this.#open.values()) output.interrupted();
  }
}
