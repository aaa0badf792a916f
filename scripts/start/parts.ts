import { Supervised, type SupervisedOptions } from './supervised.ts';

/** In the order of stopping: who takes work first, who keeps it last. */
const order = ['api', 'agents', 'worker', 'tools', 'rooms', 'database'] as const;

export type Phase = (typeof order)[number];

interface Part {
  stop(): Promise<void>;
  kill(): Promise<void>;
}

/** What runs, by the phase in which it is stopped. */
export class Parts {
  readonly #byPhase = new Map<Phase, Part[]>();
  #ending = false;

  /** Starts a process under supervision; it is stopped even while it starts. Throws when stopping has begun. */
  async supervise(phase: Phase, options: SupervisedOptions): Promise<void> {
    if (this.#ending) throw new Error('Nothing is started while all is being stopped.');
    const part = new Supervised(options);
    this.add(phase, part);
    await part.start();
  }

  /** What is added while stopping goes at once. */
  add(phase: Phase, part: Part): void {
    if (this.#ending) void part.kill();
    this.#byPhase.set(phase, [...(this.#byPhase.get(phase) ?? []), part]);
  }

  /** One phase after the other; what is in the same phase stops at the same time. */
  async stop(): Promise<void> {
    this.#ending = true;
    for (const phase of order) await Promise.all((this.#byPhase.get(phase) ?? []).map((part) => part.stop()));
  }

  async kill(): Promise<void> {
    this.#ending = true;
    await Promise.all([...this.#byPhase.values()].flat().map((part) => part.kill()));
  }
}
