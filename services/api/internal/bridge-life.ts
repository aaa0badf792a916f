import { get } from 'node:http';
import type { Clock } from '../../process/clock.ts';
import { sleep } from '../../process/sleep.ts';

export interface BridgeLifeOptions {
  clock: Clock;
  /** Between two looks. */
  lookEveryMs?: number;
  /** Within which a bridge answers that has something to run on. */
  answersWithinMs?: number;
}

/** A call whose signalling this process passes. */
export interface CarriedCall {
  /** Its bridge has said something: it lives. */
  heard(): void;
  /** Its connection has ended, and not by the room server: a bridge that refuses connections now is dead, and the call is told. */
  broke(): void;
  /** It is over, and nobody need know of its bridge. */
  leave(): void;
}

/** When the bridge was last known to live. */
export type OnDeath = (lastProof: Date) => void;

/** A bridge that dies closes one connection after the other. */
const looksAtBroken = 3;
const lookAgainMs = 300;
/** Looks in a row that were not answered: the process is frozen, or its machine is gone. */
const silentLooks = 3;
/** A timer of ours that is so late says that we were not running ourselves. */
const lateMs = 500;

/**
 * Asks the SIP bridges whose calls pass through this process whether they live: each second, on the port that answers for their health, with
 * any status (livekit/sip 1.8.0). A refused connection is proof of a death, and so are three looks without an answer, but only of a bridge that has
 * answered before: where a firewall stands between, nothing is concluded.
 */
export class BridgeLife {
  readonly #options: Required<BridgeLifeOptions>;
  readonly #bridges = new Map<string, WatchedBridge>();

  constructor({ lookEveryMs = 1_000, answersWithinMs = 1_000, ...options }: BridgeLifeOptions) {
    this.#options = { ...options, lookEveryMs, answersWithinMs };
  }

  /** `bridge`: the address that answers for its health. */
  carry(bridge: string, onDeath: OnDeath): CarriedCall {
    const known = this.#bridges.get(bridge);
    const watched = known ?? new WatchedBridge(bridge, this.#options);
    this.#bridges.set(bridge, watched);
    const leave = () => {
      if (watched.remove(onDeath) && this.#bridges.get(bridge) === watched) this.#bridges.delete(bridge);
    };
    watched.add(onDeath);
    let isBroken = false;
    return {
      heard: () => watched.proven(),
      broke: () => {
        if (!isBroken) void watched.askAfterBreak(onDeath).finally(leave);
        isBroken = true;
      },
      // The room server ends a connection that its bridge has broken, while we still ask why.
      leave: () => {
        if (!isBroken) leave();
      },
    };
  }
}

class WatchedBridge {
  readonly #url: string;
  readonly #options: Required<BridgeLifeOptions>;
  readonly #calls = new Set<OnDeath>();
  #isLooking = false;
  #provenAt = new Date(0);
  #hasAnswered = false;
  #silent = 0;

  constructor(url: string, options: Required<BridgeLifeOptions>) {
    this.#url = url;
    this.#options = options;
  }

  add(call: OnDeath): void {
    this.#calls.add(call);
    // It has just come in.
    this.proven();
    if (!this.#isLooking) void this.#lookOn();
  }

  /** Whether nobody is left. */
  remove(call: OnDeath): boolean {
    this.#calls.delete(call);
    return this.#calls.size === 0;
  }

  proven(at: Date = this.#options.clock.now()): void {
    this.#silent = 0;
    if (at > this.#provenAt) this.#provenAt = at;
  }

  async askAfterBreak(call: OnDeath): Promise<void> {
    const at = this.#options.clock.now();
    for (let look = 1; look <= looksAtBroken && this.#calls.has(call); look += 1) {
      const seen = await this.#ask();
      if (seen === 'alive') return;
      if (seen === 'gone' && this.#calls.delete(call)) return call(at);
      await sleep(lookAgainMs);
    }
  }

  async #lookOn(): Promise<void> {
    this.#isLooking = true;
    while (this.#calls.size > 0) {
      const began = performance.now();
      await this.#look();
      await sleep(Math.max(0, this.#options.lookEveryMs - (performance.now() - began)));
    }
    this.#isLooking = false;
  }

  async #look(): Promise<void> {
    const at = this.#options.clock.now();
    const seen = await this.#ask();
    if (seen === 'alive') {
      this.#hasAnswered = true;
      this.proven(at);
    }
    if (seen === 'silent') this.#silent += 1;
    if (this.#hasAnswered && (seen === 'gone' || this.#silent >= silentLooks)) this.#die();
  }

  #die(): void {
    const calls = [...this.#calls];
    this.#calls.clear();
    for (const call of calls) call(this.#provenAt);
  }

  /** By a connection of its own: one that was kept may only now be found to be gone. */
  #ask(): Promise<Seen> {
    const { answersWithinMs } = this.#options;
    const began = performance.now();
    return new Promise((resolve) => {
      const settle = (seen: Seen) => {
        clearTimeout(timer);
        resolve(performance.now() - began > answersWithinMs + lateMs && seen === 'silent' ? 'unclear' : seen);
      };
      const request = get(this.#url, { agent: false }, (response) => {
        response.resume();
        settle('alive');
      });
      const timer = setTimeout(() => {
        settle('silent');
        request.destroy();
      }, answersWithinMs);
      request.on('error', (error) => settle('code' in error && error.code === 'ECONNREFUSED' ? 'gone' : 'silent'));
    });
  }
}

/** `unclear`: we did not run ourselves. */
type Seen = 'alive' | 'gone' | 'silent' | 'unclear';
