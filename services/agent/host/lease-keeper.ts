import { randomInt, randomUUID } from 'node:crypto';
import type { Database } from '../../store/database.ts';
import { type DirectConnection, openDirectConnection } from '../../store/direct.ts';
import { channels } from '../../store/notify.ts';
import { one, sql } from '../../store/sql.ts';
import {
  beat,
  insertHost,
  type Lease,
  locateOwned,
  lockHost,
  releaseHost,
  setDraining,
} from '../../store/tables/hosts.ts';

export interface LeaseKeeperOptions {
  db: Database;
  databaseUrl: string;
  capacity: number;
  /** Spoken sessions among them; 0 where this host can neither hear nor speak. */
  voiceCapacity: number;
  onNotification: (channel: string, payload: string) => void;
  /** After every new connection: what was notified meanwhile is lost. */
  onReady: () => void;
  /** Somebody declared this host dead: its sessions and warm rooms are others' now. */
  onDeclaredDead: () => void;
}

const beatEveryMs = 1_000;
/** A process whose own timer has not run for this long stood still, and may have been declared dead meanwhile. */
const stoodStillMs = 2_500;

/**
 * This host's proof of life: an advisory lock on a connection of its own, which ends with the process, and a heartbeat
 * counter, which stops with it. Knows the database's time and, after the process stood still, which sessions are still ours.
 */
export class LeaseKeeper {
  readonly id = randomUUID();
  readonly #lockKey = randomInt(2 ** 47);
  readonly #options: LeaseKeeperOptions;
  #direct: DirectConnection | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lastTick = performance.now();
  #offsetMs = 0;
  #checking: Promise<Set<string>> | undefined;

  private constructor(options: LeaseKeeperOptions) {
    this.#options = options;
  }

  static async start(options: LeaseKeeperOptions): Promise<LeaseKeeper> {
    const keeper = new LeaseKeeper(options);
    await keeper.#register();
    keeper.#direct = await openDirectConnection({
      url: options.databaseUrl,
      applicationName: 'parley-agent-lease',
      channels: [channels.work, channels.session],
      onNotification: options.onNotification,
      onConnect: async (connection) => {
        await lockHost(connection, keeper.#lockKey);
      },
      onReady: options.onReady,
    });
    keeper.#timer = setInterval(() => keeper.#tick(), beatEveryMs);
    return keeper;
  }

  /** Milliseconds since the lock's connection was lost and made again; infinite if it never was. */
  get connectionSettledMs(): number {
    return this.#direct?.settledMs() ?? 0;
  }

  /** Now, by the database's clock. */
  now(): Date {
    return new Date(Date.now() + this.#offsetMs);
  }

  /** True at once while this process runs as it should; after it stood still, true only for sessions it still owns. */
  async maySpeak(session: string): Promise<boolean> {
    if (performance.now() - this.#lastTick < stoodStillMs && !this.#checking) return true;
    this.#checking ??= this.#ownedNow().finally(() => {
      this.#checking = undefined;
      this.#lastTick = performance.now();
    });
    return (await this.#checking).has(session);
  }

  owned(): Promise<(Lease & { last_sequence: number })[]> {
    return locateOwned(this.#options.db, this.id);
  }

  async drain(): Promise<void> {
    await setDraining(this.#options.db, this.id);
  }

  /** Gives everything away that is still ours, and with it this host's place among the hosts. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await releaseHost(this.#options.db, this.id).catch(() => undefined);
    await this.#direct?.close();
  }

  #tick(): void {
    const stoodStill = performance.now() - this.#lastTick > stoodStillMs;
    this.#beat().catch(() => undefined);
    // After a standstill `maySpeak` looks first; the timer may not say that all is well before that.
    if (!stoodStill) this.#lastTick = performance.now();
    else void this.maySpeak('');
  }

  async #beat(): Promise<void> {
    const alive = await beat(this.#options.db, this.id);
    if (!alive) {
      await this.#register();
      this.#options.onDeclaredDead();
    }
    const before = Date.now();
    const { at } = await one<{ at: Date }>(this.#options.db, sql`select clock_timestamp() as at`);
    this.#offsetMs = at.getTime() - (before + Date.now()) / 2;
  }

  async #register(): Promise<void> {
    const { db, capacity, voiceCapacity } = this.#options;
    await insertHost(db, { id: this.id, lockKey: this.#lockKey, capacity, voiceCapacity });
  }

  /** Keeps asking while the database is away: without it nobody else can have taken anything, but before it went they may have. */
  async #ownedNow(): Promise<Set<string>> {
    for (;;) {
      const owned = await this.owned().catch(() => undefined);
      if (owned) return new Set(owned.map((lease) => lease.session_id));
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}
