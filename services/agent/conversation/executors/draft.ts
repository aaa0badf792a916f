import { bestEffort } from '../../../process/best-effort.ts';
import type { Draft } from '../../../store/tables/messages.ts';

export interface DraftParts {
  /** The text's place in the transcript, once it is stored. */
  turn: Promise<number | undefined>;
  segment: string;
  /** Said under this name by a former host, and stored. */
  before: string;
  /** How much of the reply the person has heard, or was sent, in characters. */
  told: () => number;
  keep: (turn: number, draft: Draft | null) => Promise<unknown>;
}

/**
 * A reply is kept so often while it is being made. One that is over before the first time, as most that are written are, costs nothing; what is lost
 * with a host is at most what it said in this time.
 */
const keepEveryMs = 300;

/** What is being said in one turn, kept for the host that may have to go on from it. */
export class KeptDraft {
  readonly #parts: DraftParts;
  readonly #timer: NodeJS.Timeout;
  #content = '';
  /** Said before it, and stored. */
  #before: string;
  #isComplete = false;
  #isKept = false;
  #last = '';
  #keeping: Promise<void> | undefined;

  constructor(parts: DraftParts) {
    this.#parts = parts;
    this.#before = parts.before;
    this.#timer = setInterval(() => this.#keep(), keepEveryMs);
  }

  add(words: string): void {
    this.#content += words;
  }

  /** Before what is there. */
  addFirst(words: string): void {
    this.#content = words + this.#content;
  }

  /** The model has nothing to add. */
  complete(): void {
    this.#isComplete = true;
  }

  /** What was said so far has its place in the transcript. */
  restart(): void {
    this.#before += this.#content;
    this.#content = '';
    if (this.#isKept) this.#write(null);
  }

  /** Nothing more is kept. */
  close(): void {
    clearInterval(this.#timer);
  }

  /** One write at a time: while the database is slow what comes in between is left out. */
  #keep(): void {
    const { segment, told } = this.#parts;
    const draft = {
      segment,
      ...(this.#before && { before: this.#before }),
      content: this.#content,
      told: Math.max(0, told() - this.#before.length),
      complete: this.#isComplete,
    };
    const state = `${draft.content.length} ${draft.told} ${draft.complete}`;
    if (!draft.content || state === this.#last || this.#keeping) return;
    this.#last = state;
    this.#write(draft);
  }

  #write(draft: Draft | null): void {
    this.#isKept = draft !== null;
    const { turn, keep } = this.#parts;
    const kept = Promise.resolve(this.#keeping).then(async () => {
      const sequence = await turn;
      if (sequence !== undefined) await keep(sequence, draft);
    });
    const keeping = bestEffort('without it a successor answers anew', kept).then(() => {
      if (this.#keeping === keeping) this.#keeping = undefined;
    });
    this.#keeping = keeping;
  }
}
