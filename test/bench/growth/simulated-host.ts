import { isWorkFor, lookAtOthersEveryMs, pollMs } from '../../../services/agent/host/looks.ts';
import type { Database } from '../../../services/store/database.ts';
import {
  acknowledgeAssigned,
  assignWarmRooms,
  beat,
  claimSessions,
  hostWork,
  watchOthers,
} from '../../../services/store/tables/hosts.ts';
import type { FakeHost } from '../../support/databases/fake-host.ts';

/** What an agent host asks of PostgreSQL, in the statements of services/agent/host/agent-host.ts, and nothing of what it does with it. */
export class SimulatedHost {
  readonly id: string;
  readonly lockKey: number;
  readonly #db: Database;

  constructor(db: Database, { id, lockKey }: Pick<FakeHost, 'id' | 'lockKey'>) {
    this.#db = db;
    this.id = id;
    this.lockKey = lockKey;
  }

  /** A second in which nothing happens. */
  async idleSecond(others: number): Promise<void> {
    for (let ms = 0; ms < 1_000; ms += lookAtOthersEveryMs(others)) await watchOthers(this.#db, this);
    for (let ms = 0; ms < 1_000; ms += pollMs) await this.#look();
    await beat(this.#db, this.id);
  }

  async heard(channel: string, payload: string): Promise<void> {
    if (isWorkFor(this.id, channel, payload)) await this.#look();
  }

  async #look(): Promise<void> {
    const { assigned, unclaimed } = await hostWork(this.#db, this.id);
    if (assigned) await acknowledgeAssigned(this.#db, this.id);
    if (!unclaimed) return;
    await assignWarmRooms(this.#db, this.id);
    await claimSessions(this.#db, this.id, { fresh: 4, total: 8, hasWarmRooms: true });
  }
}
