import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { eventually } from '../eventually.ts';
import { endsWithUs } from '../world/ends-with-us.ts';

const program = new URL('./person-in-a-process.ts', import.meta.url).pathname;

export interface PersonOptions {
  /** What its page answers, by method. */
  answers?: Record<string, string>;
  /** The identity of somebody who must be in the room before anything is written. */
  waitsFor?: string;
}

/** A person whose client can be killed: joins in a process of its own, writes one text, and stays. */
export class PersonProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly heard: string[] = [];

  constructor(connection: { wsUrl: string; token: string }, text: string, options: PersonOptions = {}) {
    this.#child = spawn(
      ...endsWithUs(process.execPath, [program, connection.wsUrl, connection.token, text, JSON.stringify(options)]),
      {
        stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      },
    );
    if (this.#child.stdout) createInterface(this.#child.stdout).on('line', (line) => this.heard.push(line));
  }

  hears(pattern: RegExp): Promise<string> {
    return eventually(`the agent says ${pattern} to the other process`, () =>
      this.heard.find((line) => pattern.test(line)),
    );
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}
