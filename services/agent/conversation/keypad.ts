import { randomUUID } from 'node:crypto';
import type { IncomingText } from '../room/hearing.ts';

/** Between two keys of one number lies less; whoever takes longer has finished. */
const finishedAfterMs = 2_000;
/** Numbers that people type are shorter; whoever holds a key down sends one after the other. */
const mostKeys = 64;

/** Puts the keys that a person presses on a telephone together: `#` or a pause ends what they type, and it is heard as if written. */
export class Keypad {
  readonly #onTyped: (text: IncomingText) => void;
  #typed = '';
  #beganAt = new Date();
  #timer: NodeJS.Timeout | undefined;

  constructor(onTyped: (text: IncomingText) => void) {
    this.#onTyped = onTyped;
  }

  press(key: string): void {
    if (this.#typed === '') this.#beganAt = new Date();
    this.#typed += key;
    clearTimeout(this.#timer);
    if (key === '#' || this.#typed.length >= mostKeys) return this.#finish();
    this.#timer = setTimeout(() => this.#finish(), finishedAfterMs);
    this.#timer.unref();
  }

  #finish(): void {
    const text = this.#typed;
    this.#typed = '';
    this.#onTyped({ key: `keys-${randomUUID()}`, text, at: this.#beganAt, mode: 'TEXT' });
  }
}
