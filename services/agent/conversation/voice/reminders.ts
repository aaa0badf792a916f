export interface RemindersParts {
  /** Said when the person has been silent for so long, so often in a row; undefined: never. */
  idlePrompt: { afterMs: number; times: number; line: () => string } | undefined;
  /** Said so long before the time is up. */
  ending: { leftMs: number; line: () => string };
  say(line: string, key: string): void;
}

/** The person hears that the time is up so long before it is, or for a short call at three quarters of it. */
const warnedMs = 20_000;

/** Lines that nobody asks for: time alone calls for them. */
export class Reminders {
  readonly #parts: RemindersParts;
  readonly #warning: NodeJS.Timeout;
  #prompt: NodeJS.Timeout | undefined;
  #prompted = 0;
  #quietSince = 0;

  constructor(parts: RemindersParts) {
    this.#parts = parts;
    const { leftMs, line } = parts.ending;
    const inMs = leftMs - Math.min(warnedMs, leftMs / 4);
    this.#warning = setTimeout(() => parts.say(line(), 'notice duration'), Math.max(0, inMs));
  }

  /** Nobody speaks any more. */
  quiet(): void {
    this.#quietSince = performance.now();
    this.stillQuiet();
  }

  /** Somebody speaks, or makes a sound. */
  busy(): void {
    clearTimeout(this.#prompt);
  }

  /** It was no more than a sound: the silence goes on, and has lasted since the last words. */
  stillQuiet(): void {
    const { idlePrompt } = this.#parts;
    clearTimeout(this.#prompt);
    if (!idlePrompt || this.#prompted >= idlePrompt.times) return;
    const inMs = this.#quietSince + idlePrompt.afterMs - performance.now();
    this.#prompt = setTimeout(() => this.#remind(idlePrompt.line()), Math.max(0, inMs));
  }

  /** The person is there: words were understood. */
  answered(): void {
    this.#prompted = 0;
  }

  close(): void {
    clearTimeout(this.#prompt);
    clearTimeout(this.#warning);
  }

  #remind(line: string): void {
    this.#prompted += 1;
    this.#parts.say(line, `idle ${crypto.randomUUID()}`);
  }
}
