import type { ModelFailure, ModelFailureKind } from './failure.ts';

/** How long a model that failed is passed over, unless it asked for longer. */
export const restMs = 30_000;
/** A provider that asks for hours is asked again all the same: one conversation in five minutes costs nobody much. */
const longestRestMs = 5 * 60_000;
/** One that hangs may hang for one conversation alone, whose prompt is long. */
const failuresInARow = 2;

/** What concerns everybody who asks; a prompt that is refused or not answered to its end says nothing of the next one. */
const shared: readonly ModelFailureKind[] = ['unauthorized', 'rate_limited', 'unavailable', 'timeout', 'stalled'];
/** What the provider itself says of the account. */
const certain: readonly ModelFailureKind[] = ['unauthorized', 'rate_limited'];

interface Trouble {
  failures: number;
  /** Passed over until then; undefined: not yet. */
  until: number | undefined;
}

/** What all conversations of this process know of one model: one that hangs costs two of them its timeout, and not each. */
export interface Breaker {
  /** Whether it may be asked. After its rest one conversation tries, and the others go on without it meanwhile. */
  admits(now: number): boolean;
  failed(failure: ModelFailure, now: number): void;
  succeeded(): void;
}

/** By names of models; only those in trouble are kept. */
export class Breakers {
  readonly #troubled = new Map<string, Trouble>();

  of(name: string): Breaker {
    return {
      admits: (now) => this.#admits(name, now),
      failed: (failure, now) => this.#failed(name, failure, now),
      succeeded: () => void this.#troubled.delete(name),
    };
  }

  #admits(name: string, now: number): boolean {
    const trouble = this.#troubled.get(name);
    if (trouble?.until === undefined) return true;
    if (now < trouble.until) return false;
    // Who asks now is the probe; should it never come back, another follows.
    trouble.until = now + restMs;
    return true;
  }

  #failed(name: string, { kind, retryAfterMs = 0 }: ModelFailure, now: number): void {
    if (!shared.includes(kind)) return;
    const failures = (this.#troubled.get(name)?.failures ?? 0) + 1;
    const opens = failures >= failuresInARow || certain.includes(kind);
    const until = opens ? now + Math.min(longestRestMs, Math.max(restMs, retryAfterMs)) : undefined;
    this.#troubled.set(name, { failures, until });
  }
}
