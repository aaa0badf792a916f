import type { Playout } from '../state/fact.ts';
import { SpokenReply, type SpokenReplyParts } from './spoken-reply.ts';

/** What makes the agent hold its breath: the person may want to speak, or the room is away. */
export type Hold = 'person' | 'room';

export interface PlayoutQueueParts extends Omit<SpokenReplyParts, 'onHeard'> {
  /** That the session has now. */
  language: () => string;
  /** Of a line that was made ahead of time, at the rate of the room. */
  soundOf?: (line: string) => readonly Int16Array[] | undefined;
}

/** All that the agent says aloud in one conversation: one reply after another, held and cut as a whole. */
export class PlayoutQueue {
  readonly #parts: PlayoutQueueParts;
  readonly #waiting = new Set<SpokenReply>();
  readonly #holds = new Set<Hold>();
  #last: Promise<void> = Promise.resolve();
  #firstHeardAt: number | undefined;

  constructor(parts: PlayoutQueueParts) {
    this.#parts = parts;
  }

  /** What is being said, or is about to be. */
  get current(): SpokenReply | undefined {
    const [first] = this.#waiting;
    return first;
  }

  /** What is being said at this moment. */
  get now(): Playout | undefined {
    const { current } = this;
    if (!current) return undefined;
    const { isHeard, sentence, ahead } = current;
    const heardForMs = this.#firstHeardAt === undefined ? undefined : performance.now() - this.#firstHeardAt;
    return { isHeard, sentence, ahead, heardForMs, language: this.#parts.language() };
  }

  /** Resolves when everything that was to be said is. */
  get quiet(): Promise<void> {
    return this.#last;
  }

  /** Undefined where it would have to be made. */
  soundOf(line: string): readonly Int16Array[] | undefined {
    return this.#parts.soundOf?.(line);
  }

  /** A further reply, said when those before it were. */
  speak(onHeard: (words: string) => void): SpokenReply {
    const speaking = new SpokenReply({
      ...this.#parts,
      onHeard: (words) => {
        this.#firstHeardAt ??= performance.now();
        onHeard(words);
      },
    });
    this.#waiting.add(speaking);
    if (this.#holds.size > 0) speaking.hold();
    this.#last = this.#last
      .then(() => speaking.play())
      .finally(() => {
        this.#waiting.delete(speaking);
      });
    return speaking;
  }

  hold(why: Hold): void {
    this.#holds.add(why);
    for (const speaking of this.#waiting) speaking.hold();
  }

  /** Goes on where it was; after the room was away, from the beginning of the sentence. */
  release(why: Hold): void {
    if (!this.#holds.delete(why) || this.#holds.size > 0) return;
    for (const speaking of this.#waiting) speaking.release({ again: why === 'room' });
  }

  /** From the next words on another voice speaks. */
  changeVoice(): void {
    for (const speaking of this.#waiting) speaking.changeVoice();
  }

  /** What is being said, or waits to be, is shown to its end without sound. */
  readTheRest(): void {
    for (const speaking of this.#waiting) speaking.readTheRest();
  }

  /** Nothing of what is being said, or waits to be, is said any more. */
  stop(): void {
    for (const speaking of this.#waiting) speaking.stop();
  }
}
