import pg from 'pg';
import { outliveConnections } from './database.ts';
import { lettingGoOfLostClients } from './direct.ts';

/**
 * The connections that graphile-worker works on. As for our own pool, no query may hang for ever: a node that is lost never
 * answers, and a pool that waits for it would take no job again.
 */
export function openJobConnections(
  url: string,
  { max, applicationName }: { max: number; applicationName: string },
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // The server lets go of what a lost node had begun.
    options: lettingGoOfLostClients,
  });
  outliveConnections(pool);
  return pool;
}
