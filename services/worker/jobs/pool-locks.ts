import { randomInt } from 'node:crypto';
import { bestEffort } from '../../process/best-effort.ts';
import { sleep } from '../../process/sleep.ts';
import { type DirectConnection, openDirectConnection } from '../../store/direct.ts';
import type { Queryable } from '../../store/sql.ts';
import { lockHost } from '../../store/tables/hosts.ts';
import { lockPool, unlockPool } from '../../store/tables/job-pools.ts';

/** This process's proof that its job pools live: advisory locks on a connection of its own, gone the moment the process is. */
export interface PoolLocks {
  /** Resolves when the lock of this pool is held; it is taken again whenever the connection had to be made again. */
  hold(pool: string): Promise<void>;
  letGo(pool: string): Promise<void>;
  /** Whose locks are held, or wanted. */
  readonly pools: readonly string[];
  /** Milliseconds since that connection was lost and made again: infinite while it is the first one, 0 while there is none. */
  readonly connectionSettledMs: number;
  /** Of the lock that this process holds there for its own life. */
  readonly lockKey: number;
  /** The database says so, although the connection that holds it looks as if it were there. */
  lockIsMissing(): void;
  close(): Promise<void>;
}

const retryMs = 250;
/** More than the patience of a query (services/store/database.ts). */
const lookTakesMs = 10_000;

export function openPoolLocks(url: string): PoolLocks {
  const lockKey = randomInt(2 ** 47);
  const wanted = new Set<string>();
  /** PostgreSQL counts the locks of one connection: as often as one was taken, it is given back. */
  let taken = new Map<string, number>();
  let closed = false;
  const take = async (q: Queryable, pool: string) => {
    const counts = taken;
    const isOurs = await lockPool(q, pool);
    if (isOurs) counts.set(pool, (counts.get(pool) ?? 0) + 1);
    return isOurs;
  };
  const giveBack = async (q: Queryable, pool: string) => {
    const times = taken.get(pool) ?? 0;
    taken.delete(pool);
    for (let time = 0; time < times; time += 1)
      await bestEffort('a connection that is lost holds no lock', unlockPool(q, pool));
  };
  const takeAll = async (q: Queryable) => {
    const before = taken;
    taken = new Map();
    await lockHost(q, lockKey);
    for (const pool of wanted)
      if (!(await take(q, pool)) && before.has(pool)) throw new Error('an earlier connection still holds the lock');
  };
  const connect = async (): Promise<DirectConnection | undefined> => {
    while (!closed) {
      const opened = openDirectConnection({
        url,
        applicationName: 'parley-worker-locks',
        channels: [],
        onNotification: () => undefined,
        onConnect: takeAll,
      });
      const connection = await bestEffort('the database may be away: it is asked again', opened);
      if (connection) return connection;
      await sleep(retryMs);
    }
    return undefined;
  };
  let connected: DirectConnection | undefined;
  const connecting = connect().then((connection) => {
    connected = connection;
    return connection;
  });

  return {
    hold: async (pool) => {
      wanted.add(pool);
      const connection = await connecting;
      while (connection && !closed && wanted.has(pool)) {
        if (await bestEffort('the connection is made again, and takes it', take(connection, pool))) break;
        await sleep(retryMs);
      }
      // Let go while it was asked for.
      if (connection && !wanted.has(pool)) await giveBack(connection, pool);
    },
    letGo: async (pool) => {
      wanted.delete(pool);
      const connection = await connecting;
      if (connection) await giveBack(connection, pool);
    },
    get pools() {
      return [...wanted];
    },
    lockKey,
    lockIsMissing: () => {
      // What was asked before the lock was taken is answered after it.
      if ((connected?.settledMs() ?? 0) > lookTakesMs) connected?.renew();
    },
    get connectionSettledMs() {
      return connected?.settledMs() ?? 0;
    },
    close: async () => {
      closed = true;
      await (await connecting)?.close();
    },
  };
}
