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
  #late: NodeJS.Immediate | undefined;
  /** Belongs to what a tool has got already, or has given up; `key`: that one only. */
  #superfluous: { key?: string; until: number } | undefined;
  #collecting: Collecting | undefined;
  #lastKeyAt = Number.NEGATIVE_INFINITY;

  constructor(onTyped: (text: IncomingText) => void) {
    this.#onTyped = onTyped;
  }

  press(key: string): void {
    this.#lastKeyAt = performance.now();
    if (this.#collecting) return this.#collect(this.#collecting, key);
    if (this.#isSuperfluous(key)) return;
    if (this.#typed === '') this.#beganAt = new Date();
    this.#typed += key;
    this.#stopWaiting();
    if (key === '#' || this.#typed.length >= mostKeys) return this.#finish();
    // In a process that stood still the time is over before what was pressed meanwhile is read: that comes first.
    const readFirst = () => {
      this.#late = setImmediate(() => this.#finish());
    };
    this.#timer = setTimeout(readFirst, finishedAfterMs);
    this.#timer.unref();
  }

  /**
   * What is typed: so many digits, or those before the key that ends it, or before the time is over or `signal` fires. Keys that were pressed in the
   * last moment are the first of them: who knows the menu does not wait to be asked. Nor is anybody interrupted who is typing when the time is over.
   */
  collect(wanted: Wanted, signal: AbortSignal): Promise<string> {
    this.#collecting?.finish('');
    const { promise, resolve } = Promise.withResolvers<string>();
    const giveUp = () => {
      this.#superfluous = { until: this.#lastKeyAt + finishedAfterMs };
      finish(this.#typed);
    };
    const stop = () => {
      const leftMs = this.#lastKeyAt + finishedAfterMs - performance.now();
      if (this.#typed === '' || leftMs <= 0) return finish(this.#typed);
      timer = setTimeout(stop, leftMs);
    };
    let timer = setTimeout(stop, wanted.timeoutMs);
    const finish = (digits: string) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
      this.#collecting = undefined;
      this.#typed = '';
      resolve(digits);
    };
    this.#stopWaiting();
    this.#superfluous = undefined;
    const before = this.#typed;
    this.#typed = '';
    this.#collecting = { ...wanted, finish };
    signal.addEventListener('abort', giveUp);
    for (const key of before) if (this.#collecting) this.#collect(this.#collecting, key);
    if (signal.aborted) giveUp();
    return promise;
  }

  #collect({ digits, end, finish }: Collecting, key: string): void {
    if (key === end) return finish(this.#typed);
    // Another key than a digit is a slip of the finger.
    if (/^[0-9]$/.test(key)) this.#typed += key;
    if (this.#typed.length < digits) return;
    finish(this.#typed);
    this.#superfluous = { key: end, until: performance.now() + finishedAfterMs };
  }

  /**
   * "…, then the hash key": who does as they are told presses it after the last digit, too. Heard as a text it would cut the answer short. And the
   * rest of a code that nobody waits for any more is no text either: others would read it.
   */
  #isSuperfluous(key: string): boolean {
    const expected = this.#superfluous;
    this.#superfluous = undefined;
    if (!expected || performance.now() >= expected.until) return false;
    if (expected.key !== undefined) return expected.key === key;
    this.#superfluous = { until: performance.now() + finishedAfterMs };
    return true;
  }

  #stopWaiting(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#late);
  }

  #finish(): void {
    const text = this.#typed;
    this.#typed = '';
    this.#onTyped({ key: `keys-${randomUUID()}`, text, at: this.#beganAt, mode: 'TEXT' });
  }
}
