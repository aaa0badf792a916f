import { readdir, readFile } from 'node:fs/promises';
import { runMigrations } from 'graphile-worker';
import pg from 'pg';

export interface MigrateOptions {
  /** The database, as a role that may create roles and owns the schema. */
  adminUrl: string;
  /** The database as the services see it: its user becomes the service role, its password that role's. */
  serviceUrl: string;
  /** Of the migrations; our own by default. */
  folder?: URL;
}

const ourFolder = new URL('./migrations/', import.meta.url);

/**
 * Brings the database to this code's schema; safe to run by several processes at once and again at any time.
 * A migration and the row that marks it as done commit together. Returns the names of those that ran now.
 * @throws Error that names the migration that failed; it has changed nothing
 */
export async function migrate({ adminUrl, serviceUrl, folder = ourFolder }: MigrateOptions): Promise<string[]> {
  const client = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock(7021987)');
    const roles = await ensureRoles(client, new URL(serviceUrl));
    const done = await runPending(client, folder, roles);
    await runMigrations({ connectionString: serviceUrl });
    return done;
  } finally {
    await client.end();
  }
}

interface Roles {
  service: string;
  locator: string;
}

async function ensureRoles(client: pg.Client, serviceUrl: URL): Promise<Roles> {
  const service = decodeURIComponent(serviceUrl.username);
  const roles = { service, locator: `${service}_locator` };
  const password = client.escapeLiteral(decodeURIComponent(serviceUrl.password));
  await ensureRole(client, roles.service, `login password ${password}`);
  await ensureRole(client, roles.locator, 'nologin');
  const database = client.escapeIdentifier(decodeURIComponent(serviceUrl.pathname.slice(1)));
  // graphile-worker makes its own schema, owned by the role that works on it.
  await client.query(`grant connect, create on database ${database} to ${client.escapeIdentifier(service)}`);
  await client.query(`grant ${client.escapeIdentifier(roles.locator)} to current_user`);
  await client.query(`grant usage, create on schema public to ${client.escapeIdentifier(roles.locator)}`);
  return roles;
}

async function ensureRole(client: pg.Client, name: string, options: string): Promise<void> {
  const found = await client.query('select 1 from pg_roles where rolname = $1', [name]);
  const verb = found.rowCount ? 'alter' : 'create';
  await client.query(`${verb} role ${client.escapeIdentifier(name)} ${options}`);
}

async function runPending(client: pg.Client, folder: URL, roles: Roles): Promise<string[]> {
  await client.query(
    'create table if not exists migrations (name text primary key, at timestamptz not null default now())',
  );
  // Whoever looks after an installation can tell whether its schema is the code's.
  await client.query(`grant select on migrations to ${client.escapeIdentifier(roles.service)}`);
  const known = await client.query<{ name: string }>('select name from migrations');
  const finished = new Set(known.rows.map((row) => row.name));
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  const pending = names.filter((name) => !finished.has(name));
  for (const name of pending)
    await runOne(client, { name, text: await readFile(new URL(name, folder), 'utf8') }, roles);
  return pending;
}

async function runOne(client: pg.Client, { name, text }: { name: string; text: string }, roles: Roles): Promise<void> {
  const statements = text
    .replaceAll('{{service}}', client.escapeIdentifier(roles.service))
    .replaceAll('{{locator}}', client.escapeIdentifier(roles.locator));
  await client.query('begin');
  try {
    await client.query('insert into migrations (name) values ($1)', [name]);
    // An owner who is no superuser sees no rows of tenants: without this a change of them would quietly change none (migrations/README.md).
    await client.query('set local row_security = off');
    // Which would refuse functions, too, that other roles call later.
    await client.query('set local check_function_bodies = off');
    await client.query(statements);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    const { message, hint } = error as pg.DatabaseError;
    throw new Error(`The migration ${name} failed and changed nothing: ${[message, hint].filter(Boolean).join('. ')}`, {
      cause: error,
    });
  }
}
