import pg from 'pg';
import { bestEffort } from '../process/best-effort.ts';
import { type Query, type Queryable, sql } from './sql.ts';

const gone = 'the connection may be broken already';

export interface DirectConnectionOptions {
  url: string;
  applicationName: string;
  /** Channels to LISTEN on. */
  channels: readonly string[];
  onNotification: (channel: string, payload: string) => void;
  /** Runs on every new connection before it counts as open: takes the advisory lock, for example. */
  onConnect?: (connection: Queryable) => Promise<void>;
  /** After `onConnect`, on every connection but the first too: what was notified meanwhile is lost, so look for yourself. */
  onReady?: () => void;
  onLost?: () => void;
}

export interface DirectConnection {
  query: Queryable['query'];
  /** Milliseconds since the connection was lost and made again: infinite while it is the first one, 0 while there is none. */
  settledMs(): number;
  /** Somebody has found out that the server does not know this connection any more: it is broken off and made anew. */
  renew(): void;
  close(): Promise<void>;
}

const retryMs = 250;
/** Nothing else tells of a connection whose other end is gone without a word: a failover, a lost node, a firewall that drops. */
const pingEveryMs = 1_000;
const answersWithinMs = 2_000;
/** For the server, which otherwise asks a silent client after two hours, and lets go of its locks only then. */
export const lettingGoOfLostClients =
  '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3';

/**
 * One connection of its own, never through a pooler, that comes back by itself: session-level advisory locks and LISTEN
 * live and die with it. It is asked for an answer every second, and one that gives none within 2 s is made anew. Resolves when
 * it is open for the first time.
 */
export async function openDirectConnection(options: DirectConnectionOptions): Promise<DirectConnection> {
  let current: { client: pg.Client; since: number } | undefined;
  let closed = false;
  let lostOnce = false;
  let retry: NodeJS.Timeout | undefined;
  /** A connection answers one query at a time; callers wait here for their turn. */
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  const lose = (client: pg.Client) => {
    if (current?.client !== client) return;
    current = undefined;
    lostOnce = true;
    options.onLost?.();
    if (!closed) retry = setTimeout(reconnect, 0);
  };
  const breakOff = (client: pg.Client) => {
    lose(client);
    void bestEffort(gone, client.end());
  };
  const reconnect = () => {
    connect().catch(() => {
      if (!closed) retry = setTimeout(reconnect, retryMs);
    });
  };
  const connect = async () => {
    const client = new pg.Client({
      connectionString: options.url,
      application_name: options.applicationName,
      connectionTimeoutMillis: 2_000,
      query_timeout: 3_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      options: lettingGoOfLostClients,
    });
    client.on('error', () => lose(client));
    client.on('end', () => lose(client));
    client.on('notification', ({ channel, payload }) => options.onNotification(channel, payload ?? ''));
    try {
      await client.connect();
      await options.onConnect?.({ query: (query) => rowsOf(client, query) });
      for (const channel of options.channels) await client.query(`listen ${client.escapeIdentifier(channel)}`);
    } catch (error) {
      void bestEffort(gone, client.end());
      throw error;
    }
    if (closed) return void bestEffort(gone, client.end());
    current = { client, since: lostOnce ? performance.now() : Number.NEGATIVE_INFINITY };
    options.onReady?.();
  };

  await connect();
  const ping = setInterval(() => {
    // Whoever else asks is told as well.
    if (current && waiting === 0)
      void bestEffort('it is made anew', ask({ ...sql`select 1`, query_timeout: answersWithinMs }));
  }, pingEveryMs);
  const queryNow = async <Row>(query: Query): Promise<Row[]> => {
    if (!current)
      throw Object.assign(new Error('Connection terminated: the direct connection is being made again'), {
        code: '08003',
      });
    const { client } = current;
    try {
      return await rowsOf<Row>(client, query);
    } catch (error) {
      // A query that timed out leaves the connection with an answer on its way: it can't be used again.
      if (error instanceof Error && /timeout/i.test(error.message)) breakOff(client);
      throw error;
    }
  };
  const ask = <Row>(query: Query & { query_timeout?: number }): Promise<Row[]> => {
    waiting += 1;
    const answer = last
      .then(() => queryNow<Row>(query))
      .finally(() => {
        waiting -= 1;
      });
    last = bestEffort('who asked hears of it; the next query runs all the same', answer);
    return answer;
  };
  return {
    query: ask,
    settledMs: () => (current ? performance.now() - current.since : 0),
    renew: () => {
      if (current) breakOff(current.client);
    },
    close: async () => {
      closed = true;
      clearInterval(ping);
      clearTimeout(retry);
      const client = current?.client;
      current = undefined;
      await bestEffort(gone, client?.end());
    },
  };
}

async function rowsOf<Row>(client: pg.Client, query: Query): Promise<Row[]> {
  return (await client.query(query)).rows as Row[];
}
