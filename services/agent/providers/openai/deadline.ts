import { ModelFailure } from '../../models/failure.ts';

/** What a server counts comes right after the end, and tools that it asked for run only then. */
const afterEndMs = 300;

/** Aborts its signal when it was not restarted for `timeoutMs`: a wait for the first word, then for each next piece. */
export class Deadline {
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout;
  readonly #timeoutMs: number;
  readonly #endsAt: number;
  #restarted = false;
  #ended = false;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
    this.#endsAt = performance.now() + timeoutMs;
    this.#timer = setTimeout(() => this.#controller.abort(), timeoutMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Something was waited for in vain. */
  get expired(): boolean {
    return this.#controller.signal.aborted && !this.#ended;
  }

  /** Of the wait for the first word. */
  get remainingMs(): number {
    return this.#endsAt - performance.now();
  }

  restart(): void {
    this.#restarted = true;
    this.#timer.refresh();
  }

  /** The answer is whole: a connection that stays open is waited for a moment only. */
  ended(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(), afterEndMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  failure(): ModelFailure {
    return this.#restarted
      ? new ModelFailure({ kind: 'stalled', message: `The model stopped sending for ${this.#timeoutMs} ms.` })
      : new ModelFailure({ kind: 'timeout', message: `The model did not answer within ${this.#timeoutMs} ms.` });
  }
}
