import { newRoomName } from '../../../services/core/sessions/ids.ts';
import type { Database } from '../../../services/store/database.ts';
import { channels } from '../../../services/store/notify.ts';
import {
  acknowledgeAssigned,
  assignWarmRooms,
  beat,
  claimSessions,
  insertWarmRoom,
  watchOthers,
} from '../../../services/store/tables/hosts.ts';
import type { FakeHost } from '../../support/databases/fake-host.ts';

const looksPerSecond = 4;

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
  async idleSecond(): Promise<void> {
    for (let look = 0; look < looksPerSecond; look += 1) await this.#look();
    await beat(this.#db, this.id);
  }

  async heard(channel: string, _payload: string): Promise<void> {
    if (channel === channels.work) await this.#look();
  }

  async addWarmRoom(): Promise<void> {
    await insertWarmRoom(this.#db, newRoomName(), this.id);
  }

  async #look(): Promise<void> {
    await watchOthers(this.#db, this);
    await acknowledgeAssigned(this.#db, this.id);
    await assignWarmRooms(this.#db, this.id);
    await claimSessions(this.#db, this.id, { fresh: 4, total: 8, hasWarmRooms: true });
  }
}
