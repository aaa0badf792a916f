import { ModelFailure } from '../../models/failure.ts';

/** Aborts its signal when it was not restarted for `timeoutMs`: a wait for the first chunk, then for each next one. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #timeoutMs: number;
  readonly #endsAt: number;
  #restarted = false;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
    this.#endsAt = performance.now() + timeoutMs;
    this.#timer = setTimeout(() => this.#controller.abort(), timeoutMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get expired(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Of the wait for the first chunk. */
  get remainingMs(): number {
    return this.#endsAt - performance.now();
  }

  restart(): void {
    this.#restarted = true;
    this.#timer.refresh();
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
