import { randomInt, randomUUID } from 'node:crypto';
import type { Ability } from '../../agent-files/definition/speech-needs.ts';
import { bestEffort } from '../../process/best-effort.ts';
import { sleep } from '../../process/sleep.ts';
import { ifLate, within } from '../../process/within.ts';
import type { Database } from '../../store/database.ts';
import { DatabaseTime } from '../../store/database-time.ts';
import { type DirectConnection, openDirectConnection } from '../../store/direct.ts';
import { channels } from '../../store/notify.ts';
import {
  beat,
  changeAbilities,
  insertHost,
  type Lease,
  locateOwned,
  lockHost,
  releaseHost,
  retireHost,
  setDraining,
  watchOthers,
} from '../../store/tables/hosts.ts';

export interface LeaseKeeperOptions {
  db: Database;
  /** Of the same database, past a pooler: locks and LISTEN belong to a connection. */
  directUrl: string;
  capacity: number;
  /** Spoken sessions among them. */
  voiceCapacity: number;
  abilities: Iterable<Ability>;
  onNotification: (channel: string, payload: string) => void;
  /** After every new connection: what was notified meanwhile is lost. */
  onReady: () => void;
  /** Somebody declared this host dead: its sessions and warm rooms are others' now. */
  onDeclaredDead: () => void;
}

export type Permission = 'yes' | 'no' | 'unknown';

const beatEveryMs = 1_000;
/** Faster than anybody proves a death by a free lock (300 ms, services/core/hosts/death-watch.ts). */
const lifeEveryMs = 100;
/** More than the patience of a query (services/agent/main.ts). */
const lookTakesMs = 4_000;
/** Each waits for the database on a connection of its own, and may find it as broken as the lock's. */
const mostBeatsAtOnce = 3;
/** A process whose own timer has not run for this long stood still, and may have been declared dead meanwhile. */
const stoodStillMs = 2_500;
/** How often it runs: with a second between two notes, a process that is a second and a half late would count as one that stood still. */
const noteTimeEveryMs = 250;
/** So long a word waits for the database to say whose the session is; meanwhile the asking goes on. */
const toldWithinMs = 1_000;
const askAgainMs = 250;

/**
 * This host's proof of life: an advisory lock on a connection of its own, which ends with the process, and a heartbeat
 * counter, which stops with it. Knows the database's time and, after the process stood still, which sessions are still ours.
 */
export class LeaseKeeper {
  readonly id = randomUUID();
  readonly lockKey = randomInt(2 ** 47);
  readonly #options: LeaseKeeperOptions;
  #abilities: readonly Ability[];
  #direct: DirectConnection | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lastTick = performance.now();
  #lastBeat = Number.NEGATIVE_INFINITY;
  readonly #time = new DatabaseTime();
  #checking: Promise<Set<string>> | undefined;
  #beginning: Promise<void> | undefined;
  #stopped = false;

  private constructor(options: LeaseKeeperOptions) {
    this.#options = options;
    this.#abilities = inOrder(options.abilities);
  }

  static async start(options: LeaseKeeperOptions): Promise<LeaseKeeper> {
    const keeper = new LeaseKeeper(options);
    keeper.#direct = await openDirectConnection({
      url: options.directUrl,
      applicationName: 'parley-agent-lease',
      channels: [channels.work, channels.session, channels.refusal],
      onNotification: options.onNotification,
      onConnect: async (connection) => {
        await lockHost(connection, keeper.lockKey);
      },
      onReady: options.onReady,
      onLost: () => keeper.#showLife(),
    });
    try {
      // After the lock: a host that is known without holding its own is taken for dead.
      await keeper.#register();
      await keeper.#beat();
    } catch (error) {
      await keeper.#direct.close();
      throw error;
    }
    keeper.#timer = setInterval(() => keeper.#tick(), noteTimeEveryMs);
    return keeper;
  }

  /** Milliseconds since the lock's connection was lost and made again; infinite if it never was. */
  get connectionSettledMs(): number {
    return this.#direct?.settledMs() ?? 0;
  }

  /** The database says so, although the connection that holds it looks as if it were there: others take this host for dead soon. */
  lockIsMissing(): void {
    // What was asked before the lock was taken is answered after it.
    if (this.connectionSettledMs > lookTakesMs) this.#direct?.renew();
  }

  /** Now, by the database's clock. */
  now(): Date {
    return this.#time.now();
  }

  /**
   * Whether this host may speak in a session: `yes` at once while this process runs as it should; after it stood still, as
   * the database says. `unknown` while that does not answer: what is to be said waits, and is asked for again.
   */
  async maySpeak(session: string): Promise<Permission> {
    if (performance.now() - this.#lastTick < stoodStillMs && !this.#checking) return 'yes';
    this.#checking ??= this.#ownedNow().finally(() => {
      this.#checking = undefined;
      this.#lastTick = performance.now();
    });
    const owned = await within(toldWithinMs, 'the database', this.#checking).catch(ifLate(undefined));
    if (!owned) return 'unknown';
    return owned.has(session) ? 'yes' : 'no';
  }

  owned(): Promise<(Lease & { last_sequence: number })[]> {
    return locateOwned(this.#options.db, this.id);
  }

  /** This host can do something else from now on. A database that is away hears of it with the next registration, or the next change. */
  async changeAbilities(abilities: Iterable<Ability>): Promise<void> {
    this.#abilities = inOrder(abilities);
    const { db, voiceCapacity } = this.#options;
    await changeAbilities(db, { id: this.id, voiceCapacity, abilities: this.#abilities });
  }

  async drain(): Promise<void> {
    await setDraining(this.#options.db, this.id);
  }

  /** Whether this host may leave without a loss, also with nobody else there when `alone`; from then on it gets nothing more. */
  retire(options: { alone: boolean }): Promise<boolean> {
    return retireHost(this.#options.db, this.id, options);
  }

  /** Gives everything away that is still ours, and with it this host's place among the hosts. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await bestEffort('whoever finds the lock free takes over all the same', releaseHost(this.#options.db, this.id));
    await this.#direct?.close();
  }

  #tick(): void {
    const now = performance.now();
    if (now - this.#lastBeat > beatEveryMs - noteTimeEveryMs / 2) {
      this.#lastBeat = now;
      void bestEffort('time without the database counts against nobody', this.#beat());
    }
    // After a standstill `maySpeak` looks first; the timer may not say that all is well before that.
    if (now - this.#lastTick <= stoodStillMs) this.#lastTick = now;
    else void this.maySpeak('');
  }

  /** While the lock is lost others find it free: until it is held again, beats say that this host lives. */
  #showLife(): void {
    let underWay = 0;
    const show = () => {
      if (this.#stopped || this.connectionSettledMs > 0) return clearInterval(timer);
      if (underWay >= mostBeatsAtOnce) return;
      underWay += 1;
      void bestEffort('the next one may', this.#beat()).finally(() => {
        underWay -= 1;
      });
    };
    const timer = setInterval(show, lifeEveryMs);
    show();
  }

  async #beat(): Promise<void> {
    const askedMs = performance.now();
    const at = await beat(this.#options.db, this.id);
    if (at) return this.#time.learn(at, askedMs);
    // Released while the beat was under way.
    if (this.#stopped) return;
    this.#beginning ??= this.#beginAnew().finally(() => {
      this.#beginning = undefined;
    });
    await this.#beginning;
  }

  /** Somebody declared this host dead. If it were known again before it holds its lock again, it would be declared dead again. */
  async #beginAnew(): Promise<void> {
    const { ownLockHeld } = await watchOthers(this.#options.db, this);
    if (!ownLockHeld) return this.lockIsMissing();
    await this.#register();
    this.#options.onDeclaredDead();
  }

  async #register(): Promise<void> {
    const { db, capacity, voiceCapacity } = this.#options;
    await insertHost(db, {
      id: this.id,
      lockKey: this.lockKey,
      capacity,
      voiceCapacity,
      abilities: this.#abilities,
    });
  }

  /** Keeps asking while the database is away: without it nobody else can have taken anything, but before it went they may have. */
  async #ownedNow(): Promise<Set<string>> {
    while (!this.#stopped) {
      const owned = await bestEffort('the database may be away: it is asked again', this.owned());
      if (owned) return new Set(owned.map((lease) => lease.session_id));
      await sleep(askAgainMs);
    }
    return new Set();
  }
}

/** One order, so that hosts that can do the same are of one kind. */
const inOrder = (abilities: Iterable<Ability>): readonly Ability[] => [...abilities].sort();
