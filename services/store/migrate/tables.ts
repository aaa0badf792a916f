import { readdir, readFile } from 'node:fs/promises';
import type pg from 'pg';
import { adopt, baseline } from './baseline.ts';
import { orNothing } from './or-nothing.ts';
import { type Roles, withRoles } from './roles.ts';

/** Runs the migrations of the folder that have not run yet, in the order of their names. Returns their names. */
export async function runMigrations(client: pg.Client, folder: URL, roles: Roles): Promise<string[]> {
  await client.query(
    'create table if not exists migrations (name text primary key, at timestamptz not null default now())',
  );
  // Whoever looks after an installation can tell whether its schema is the code's.
  await client.query(`grant select on migrations to ${client.escapeIdentifier(roles.service)}`);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  if (names.includes(baseline)) await adopt(client, await finished(client));
  const done = await finished(client);
  const pending = names.filter((name) => !done.has(name));
  for (const name of pending) {
    const text = withRoles(client, await readFile(new URL(name, folder), 'utf8'), roles);
    await orNothing(client, `The migration ${name}`, () => runOne(client, name, text));
  }
  return pending;
}

async function finished(client: pg.Client): Promise<Set<string>> {
  const known = await client.query<{ name: string }>('select name from migrations');
  return new Set(known.rows.map(({ name }) => name));
}

/** A migration and the row that marks it as done commit together. */
async function runOne(client: pg.Client, name: string, text: string): Promise<void> {
  await client.query('insert into migrations (name) values ($1)', [name]);
  // An owner who is no superuser sees no rows of tenants: without this a change of them would quietly change none (migrations/README.md).
  await client.query('set local row_security = off');
  await client.query(text);
}
