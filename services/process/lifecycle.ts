import { flushCompileCache } from 'node:module';
import type { Logger } from 'pino';
import { onFailedEffort } from './best-effort.ts';
import type { Readiness } from './internal-server.ts';
import { onStopSignal, type StopOptions, type StopStep } from './stop-signal.ts';

/** A process between its start and its end. What is opened says at once how it is closed; the stop goes the way back. */
export class Lifecycle {
  readonly #log: Logger;
  readonly #steps: StopStep[] = [['refuse probes', 100, () => this.#refuse()]];
  readonly #stopping = new AbortController();
  #state: 'starting' | 'serving' | 'stopping' = 'starting';
  #stop: ((why: string) => void) | undefined;

  constructor(log: Logger) {
    this.#log = log;
    onFailedEffort((failed) => log.debug(failed, 'something failed that nobody waits for'));
  }

  /** Fires when this process begins to stop. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  readiness(): Readiness {
    return { status: this.#state === 'serving' ? 'ok' : this.#state };
  }

  /** To be called when something was opened: it is closed before all that was opened earlier. */
  closing(step: string, deadlineMs: number, stop: StopStep[2]): void {
    this.#steps.splice(1, 0, [step, deadlineMs, stop]);
  }

  /** From now on this process stops in order, also while it waits for what it needs to serve. */
  heed(options?: StopOptions): void {
    this.#stop ??= onStopSignal(this.#log, this.#steps, options);
  }

  /** All is open: from now on this process is ready, and stops in order. */
  serve(options?: StopOptions): void {
    this.heed(options);
    if (this.#state === 'starting') this.#state = 'serving';
  }

  /** From within, once it serves. */
  stop(why: string): void {
    this.#stop?.(why);
  }

  #refuse(): void {
    this.#state = 'stopping';
    this.#stopping.abort();
  }
}

/**
 * What can't start says why in words, and ends; a stack would only hide them. What has started keeps its compiled code where
 * NODE_COMPILE_CACHE says: Node does so only at an orderly end, and whoever was killed would start in twice the time again.
 */
export async function startOrSayWhy(start: () => Promise<void>): Promise<void> {
  try {
    await start();
    flushCompileCache();
  } catch (error) {
    // Of several attempts at once Node says only in which way they failed, without a message.
    process.stderr.write(`${(error instanceof Error && error.message) || String(error)}\n`);
    process.exit(1);
  }
}
