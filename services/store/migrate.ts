import pg from 'pg';
import { applyFunctions, type FunctionsState } from './migrate/functions.ts';
import { prepareJobs } from './migrate/jobs.ts';
import { ensureRoles } from './migrate/roles.ts';
import { runMigrations } from './migrate/tables.ts';

export interface MigrateOptions {
  /** The database, as a role that may create roles and owns the database. */
  adminUrl: string;
  /** The database as the services see it: its user becomes the service role, or a login that acts as it, with its password. */
  serviceUrl: string;
  /** Of the role for persons; without one nobody is let in as it. */
  peoplePassword?: string | undefined;
  /** Of the migrations; our own by default. */
  migrations?: URL;
  /** Of the functions; our own by default. */
  functions?: URL;
}

export interface Migrated {
  /** Names of the migrations that ran now. */
  migrations: string[];
  functions: FunctionsState;
}

const ourMigrations = new URL('./migrations/', import.meta.url);
const ourFunctions = new URL('./functions/', import.meta.url);

/**
 * Brings the database to this code's tables and functions; safe to run by several processes at once and again at any time.
 * @throws Error that names the migration, or the function, that failed; it has changed nothing
 */
export async function migrate({
  adminUrl,
  serviceUrl,
  peoplePassword,
  migrations = ourMigrations,
  functions = ourFunctions,
}: MigrateOptions): Promise<Migrated> {
  const client = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock(7021987)');
    const roles = await ensureRoles(client, new URL(serviceUrl), peoplePassword);
    const done = {
      migrations: await runMigrations(client, migrations, roles),
      functions: await applyFunctions(client, functions, roles),
    };
    await prepareJobs(client, serviceUrl, roles);
    return done;
  } finally {
    await client.end();
  }
}
