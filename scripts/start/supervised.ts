import { rm } from 'node:fs/promises';
import { sleepOrStop } from '../../services/process/sleep.ts';
import { writeRecord } from '../toolchain/processes.ts';

/** A process of ours that runs. */
export interface Running {
  pid: number;
  /** Settles when it can do its work; rejects when it can't. */
  ready: Promise<void>;
  exited: Promise<void>;
  /** In order, within a deadline of its own. */
  stop(): Promise<void>;
  /** At once. */
  kill(): Promise<void>;
}

export interface SupervisedOptions {
  name: string;
  open(): Promise<Running> | Running;
  /** Where the process is written down, for a start after a crash of the launcher. */
  recordFile: string;
  say(line: string): void;
  /** Waits before the 1st, 2nd, … restart in a row; the last one is repeated. */
  pausesMs?: readonly number[];
}

const defaultPausesMs = [200, 1_000, 2_000, 5_000, 10_000, 30_000];
/** A process that ran this long is sound: the next death counts as the first. */
const soundAfterMs = 60_000;

/** Keeps one process running: when it dies it is started again, with growing pauses and never without a word. */
export class Supervised {
  readonly #options: SupervisedOptions;
  #running: Running | undefined;
  #stopping = false;
  readonly #stopped = new AbortController();
  #watch: Promise<void> = Promise.resolve();

  constructor(options: SupervisedOptions) {
    this.#options = options;
  }

  /** Starts the process for the first time and waits until it is ready; a failure is thrown, not repeated. */
  async start(): Promise<void> {
    const running = await this.#open();
    try {
      await running.ready;
    } catch (error) {
      await running.kill();
      throw error;
    }
    this.#watch = this.#keepRunning(running);
  }

  async stop(): Promise<void> {
    await this.#end((running) => running.stop());
  }

  async kill(): Promise<void> {
    await this.#end((running) => running.kill());
  }

  async #end(how: (running: Running) => Promise<void>): Promise<void> {
    this.#stopping = true;
    this.#stopped.abort();
    if (this.#running) await how(this.#running);
    await this.#watch;
    await rm(this.#options.recordFile, { force: true });
  }

  async #open(): Promise<Running> {
    const running = await this.#options.open();
    this.#running = running;
    await writeRecord(this.#options.recordFile, running.pid);
    return running;
  }

  async #keepRunning(first: Running): Promise<void> {
    let running: Running | undefined = first;
    let deaths = 0;
    for (;;) {
      const since = Date.now();
      await running?.exited;
      if (this.#stopping) return;
      if (running && Date.now() - since > soundAfterMs) deaths = 0;
      running = await this.#again(deaths++);
    }
  }

  async #again(deaths: number): Promise<Running | undefined> {
    const { name, say, pausesMs = defaultPausesMs } = this.#options;
    const pauseMs = pausesMs[Math.min(deaths, pausesMs.length - 1)] ?? 0;
    say(`${name} ended unexpectedly; starting it again in ${pauseMs / 1000} s.`);
    await sleepOrStop(pauseMs, this.#stopped.signal);
    if (this.#stopping) return undefined;
    const running = await this.#open().catch((error: Error) => void say(`${name} can't be started: ${error.message}`));
    if (!running) return undefined;
    // A stop that came while the process was being spawned did not see it.
    if (this.#stopping) await running.kill();
    running.ready.then(
      () => say(`${name} is back.`),
      (error: Error) => this.#stopping || say(`${name} does not come up: ${error.message}`),
    );
    return running;
  }
}
