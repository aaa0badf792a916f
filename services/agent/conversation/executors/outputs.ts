import { remember } from '../../../process/remember.ts';
import type { Draft } from '../../../store/tables/messages.ts';
import type { Beginning, Output } from '../output.ts';

/** Where what is said will stand in the transcript: behind the text that it answers, once that is stored, or under a key of its own. */
export type PositionToBe = { turn: Promise<number | undefined> } | { key: string };

interface Open {
  output: Output;
  position: PositionToBe;
}

/** Words that are out. */
export interface Out {
  position: PositionToBe;
  draft: Draft;
  at: number;
  /** The person's client has said that it has them. */
  hasArrived: boolean;
}

/** Of more than this within a few seconds nobody waits for the first. */
const mostOut = 20;
/** A host hears within so long that a person has another client, which may have answered meanwhile for words that it never had. */
const vouchedAfterMs = 1_000;

/** All that is being said at the moment, by number: the turn's output, and those of lines said meanwhile. */
export class Outputs {
  readonly #make: () => Output;
  readonly #onOut: () => void;
  readonly #open = new Map<number | string, Open>();
  readonly #out = new Map<string, Out>();

  /** `make`: written or aloud, as the session is at that moment. `onOut`: something written is on its way, and not known to have arrived. */
  constructor(make: () => Output, onOut: () => void) {
    this.#make = make;
    this.#onOut = onOut;
  }

  open(name: number | string, position: PositionToBe, as?: Beginning): Output {
    const output = this.#make();
    this.#open.set(name, { output, position });
    output.begin(as);
    return output;
  }

  /** When the last words were out, on the monotonic clock. */
  get lastWordsAt(): number {
    return Math.max(Number.NEGATIVE_INFINITY, ...this.#underWay().map(({ at }) => at));
  }

  /** What was out at this moment, on the monotonic clock, has arrived. */
  arrived(until: number): void {
    for (const out of this.#out.values()) if (out.at <= until) out.hasArrived = true;
  }

  /** What was written and is out since then, on the monotonic clock; each once, as it was said last. */
  writtenSince(from: number): Out[] {
    return this.#underWay().filter(({ at, draft }) => at >= from && draft.content);
  }

  /** What was written and may not have arrived, in its order; `byAnother`: the person has another client than they had when it was out. */
  unseen(byAnother: boolean): Out[] {
    const vouched = byAnother ? performance.now() - vouchedAfterMs : Number.POSITIVE_INFINITY;
    return [...this.#out.values()].filter(
      ({ hasArrived, at, draft }) => draft.content && !(hasArrived && at < vouched),
    );
  }

  /** All words of this one are on their way. */
  saidAll(name: number | string): void {
    const { output, position } = this.#open.get(name) ?? {};
    if (!output?.hasWords || !position) return;
    const { segment, mode, said } = output;
    // What is spoken is stored as far as it was heard.
    const content = mode === 'TEXT' ? said : '';
    remember(
      this.#out,
      segment,
      {
        ...{ position, at: performance.now(), hasArrived: false },
        draft: { segment, content, told: 0, complete: true },
      },
      mostOut,
    );
  }

  close(name: number | string): void {
    this.saidAll(name);
    this.#open.delete(name);
    if (this.#underWay().some(({ draft }) => draft.content)) this.#onOut();
  }

  #underWay(): Out[] {
    return [...this.#out.values()].filter(({ hasArrived }) => !hasArrived);
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
