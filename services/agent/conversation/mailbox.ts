/** What is known, after a fact, and what is to be done about it. */
export type Learn<State, Fact, Effect> = (state: State, fact: Fact) => readonly [State, readonly Effect[]];

interface Waiter<State> {
  holds: (state: State) => boolean;
  tell: () => void;
}

/**
 * Everything that happens, one fact after another: each changes what is known, and what is to be done about it is begun before the next
 * is looked at. Whoever carries something out tells what came of it by another fact.
 */
export class Mailbox<State, Fact, Effect> {
  readonly #learn: Learn<State, Fact, Effect>;
  readonly #carryOut: (effect: Effect) => void;
  #state: State;
  #facts: Fact[] = [];
  #isBusy = false;
  #waiters: Waiter<State>[] = [];

  /** `carryOut` begins an effect; it must not throw. */
  constructor(state: State, learn: Learn<State, Fact, Effect>, carryOut: (effect: Effect) => void) {
    this.#state = state;
    this.#learn = learn;
    this.#carryOut = carryOut;
  }

  get state(): State {
    return this.#state;
  }

  /** Learns it at once; of what is posted meanwhile, after that. */
  post(fact: Fact): void {
    this.#facts.push(fact);
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      for (let next = this.#facts.shift(); next !== undefined; next = this.#facts.shift()) this.#take(next);
    } finally {
      this.#isBusy = false;
    }
    this.#tellWaiters();
  }

  /** Resolves when `holds` does. */
  until(holds: (state: State) => boolean): Promise<void> {
    if (holds(this.#state)) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiters.push({ holds, tell: resolve });
    return promise;
  }

  #take(fact: Fact): void {
    const [state, effects] = this.#learn(this.#state, fact);
    this.#state = state;
    for (const effect of effects) this.#carryOut(effect);
  }

  #tellWaiters(): void {
    const held = this.#waiters.filter(({ holds }) => holds(this.#state));
    this.#waiters = this.#waiters.filter((waiter) => !held.includes(waiter));
    for (const { tell } of held) tell();
  }
}
