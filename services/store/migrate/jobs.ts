import { runMigrations } from 'graphile-worker';
import pg from 'pg';
import { endCompletely, outliveConnections } from '../database.ts';
import { lockTimeoutMs, untilLocked } from './or-nothing.ts';
import type { Roles } from './roles.ts';

/**
 * The tables of graphile-worker, in a schema of their own that the role owns that works on them. It may make that schema, and nothing
 * else or later.
 */
export async function prepareJobs(client: pg.Client, serviceUrl: string, roles: Pick<Roles, 'service'>): Promise<void> {
  const { pathname } = new URL(serviceUrl);
  const service = client.escapeIdentifier(roles.service);
  const database = client.escapeIdentifier(decodeURIComponent(pathname.slice(1)));
  await client.query(`grant create on database ${database} to ${service}`);
  const pool = new pg.Pool({ connectionString: serviceUrl, max: 1, lock_timeout: lockTimeoutMs });
  outliveConnections(pool);
  try {
    await untilLocked(() => runMigrations({ pgPool: pool }));
  } finally {
    await endCompletely(pool);
    await client.query(`revoke create on database ${database} from ${service}`);
  }
}
