import { randomUUID } from 'node:crypto';
import type { CompiledKeypad } from '../../agent-files/definition/compiled.ts';
import type { IncomingText } from '../room/hearing.ts';

/** Between two keys of one number lies less; whoever takes longer has finished. */
const finishedAfterMs = 2_000;
/** Numbers that people type are shorter; whoever holds a key down sends one after the other. */
const mostKeys = 64;

export type Wanted = Pick<CompiledKeypad, 'digits' | 'end' | 'timeoutMs'>;

interface Collecting extends Wanted {
  finish: (digits: string) => void;
}

/**
 * Puts the keys that a person presses on a telephone together: `#` or a pause ends what they type, and it is heard as if written. While a tool
 * waits for digits, they are that tool's and nobody else's.
 */
export class Keypad {
  readonly #onTyped: (text: IncomingText) => void;
  #typed = '';
  #beganAt = new Date();
  #timer: NodeJS.Timeout | undefined;
  #collecting: Collecting | undefined;

  constructor(onTyped: (text: IncomingText) => void) {
    this.#onTyped = onTyped;
  }

  press(key: string): void {
    if (this.#collecting) return this.#collect(this.#collecting, key);
    if (this.#typed === '') this.#beganAt = new Date();
    this.#typed += key;
    clearTimeout(this.#timer);
    if (key === '#' || this.#typed.length >= mostKeys) return this.#finish();
    this.#timer = setTimeout(() => this.#finish(), finishedAfterMs);
    this.#timer.unref();
  }

  /** What is typed from now on: so many digits, or those before the key that ends it, or before the time is over or `signal` fires. */
  collect(wanted: Wanted, signal: AbortSignal): Promise<string> {
    this.#collecting?.finish('');
    const { promise, resolve } = Promise.withResolvers<string>();
    const stop = () => finish(this.#typed);
    const timer = setTimeout(stop, wanted.timeoutMs);
    const finish = (digits: string) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      this.#collecting = undefined;
      this.#typed = '';
      resolve(digits);
    };
    clearTimeout(this.#timer);
    this.#typed = '';
    this.#collecting = { ...wanted, finish };
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    return promise;
  }

  #collect({ digits, end, finish }: Collecting, key: string): void {
    if (key === end) return finish(this.#typed);
    // Another key than a digit is a slip of the finger.
    if (/^[0-9]$/.test(key)) this.#typed += key;
    if (this.#typed.length >= digits) finish(this.#typed);
  }

  #finish(): void {
    const text = this.#typed;
    this.#typed = '';
    this.#onTyped({ key: `keys-${randomUUID()}`, text, at: this.#beganAt, mode: 'TEXT' });
  }
}
