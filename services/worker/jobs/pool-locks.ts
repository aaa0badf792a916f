import { setTimeout as delay } from 'node:timers/promises';
import { type DirectConnection, openDirectConnection } from '../../store/direct.ts';
import type { Queryable } from '../../store/sql.ts';
import { lockPool, unlockPool } from '../../store/tables/job-pools.ts';

/** This process's proof that its job pools live: advisory locks on a connection of its own, gone the moment the process is. */
export interface PoolLocks {
  /** Resolves when the lock of this pool is held; it is taken again whenever the connection had to be made again. */
  hold(pool: string): Promise<void>;
  letGo(pool: string): Promise<void>;
  close(): Promise<void>;
}

const retryMs = 250;

export function openPoolLocks(url: string): PoolLocks {
  const wanted = new Set<string>();
  let closed = false;
  const takeAll = async (q: Queryable) => {
    for (const pool of wanted) await lockPool(q, pool);
  };
  const connect = async (): Promise<DirectConnection | undefined> => {
    while (!closed) {
      const connection = await openDirectConnection({
        url,
        applicationName: 'parley-worker-locks',
        channels: [],
        onNotification: () => undefined,
        onConnect: takeAll,
      }).catch(() => undefined);
      if (connection) return connection;
      await delay(retryMs);
    }
    return undefined;
  };
  const connecting = connect();

  return {
    hold: async (pool) => {
      wanted.add(pool);
      const connection = await connecting;
      while (connection && !closed && wanted.has(pool)) {
        // Taken twice by the same connection is fine: it ends with the connection.
        if (await lockPool(connection, pool).catch(() => false)) return;
        await delay(retryMs);
      }
    },
    letGo: async (pool) => {
      wanted.delete(pool);
      const connection = await connecting;
      // Locks of one connection are counted: as often as it was taken, it is given back.
      for (let given = true; connection && given; ) given = await unlockOnce(connection, pool);
    },
    close: async () => {
      closed = true;
      await (await connecting)?.close();
    },
  };
}

async function unlockOnce(connection: DirectConnection, pool: string): Promise<boolean> {
  const rows = await unlockPool(connection, pool).catch(() => []);
  return (rows as { pg_advisory_unlock: boolean }[])[0]?.pg_advisory_unlock ?? false;
}
