import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Node } from '../network/nodes.ts';
import { endsWithUs } from './ends-with-us.ts';

/** What is no setting of ours. */
function inherited(): Record<string, string> {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME, ...(NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}) };
}

/** One of the product's own processes, run as it is run in production, with an IPC channel as the launcher gives it. It dies with the test. */
export class ServiceProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #output: string[] = [];
  readonly exited: Promise<unknown>;

  /** @param node of a network of the test's own on which it runs; this machine by default */
  constructor(entry: string, env: Record<string, string>, args: readonly string[] = [], node?: Node) {
    const command = endsWithUs(process.execPath, [entry, ...args]);
    this.#child = spawn(...(node?.inside(...command) ?? command), {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { ...inherited(), ...env },
    });
    this.exited = once(this.#child, 'exit');
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.#output.push(chunk.toString());
        if (this.#output.length > 500) this.#output.shift();
      });
    }
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The last lines it wrote: shown when a test fails. */
  output(): string {
    return this.#output.join('');
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.exited;
  }

  /** In order, as an operator stops it; killed when it does not end within `deadlineMs`. */
  async stop(deadlineMs = 20_000): Promise<void> {
    if (!this.running) return;
    this.signal('SIGTERM');
    const timer = setTimeout(() => this.signal('SIGKILL'), deadlineMs);
    await this.exited;
    clearTimeout(timer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.running) await this.kill();
  }
}
