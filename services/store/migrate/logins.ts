import type pg from 'pg';
import { type DatabaseLogin, loginOf, readLogin } from '../../settings/database-login.ts';
import { ensureRole, hasRole } from './role.ts';

/**
 * Makes the login with its password. The last one before it stays open for processes that are still to be replaced; those before that are
 * closed.
 */
export async function ensureLogin(client: pg.Client, login: DatabaseLogin, password: string): Promise<void> {
  const { role, generation } = login;
  const options = `login password ${client.escapeLiteral(password)}`;
  if (generation === 1) return ensureRole(client, role, options);
  // As on a server on which a backup of another one was brought back.
  if (!(await hasRole(client, role))) await ensureRole(client, role, 'nologin');
  const [name, acting] = [loginOf(login), role].map((one) => client.escapeIdentifier(one));
  await ensureRole(client, loginOf(login), options);
  await client.query(`grant ${acting} to ${name}`);
  await client.query(`alter role ${name} set role ${acting}`);
  await closeFormer(client, login);
}

async function closeFormer(client: pg.Client, { role, generation }: DatabaseLogin): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'select rolname as name from pg_roles where rolcanlogin and (rolname = $1 or starts_with(rolname, $2))',
    [role, loginOf({ role, generation: 0 }).replace(/0$/, '')],
  );
  const former = rows
    .map(({ name }) => readLogin(name))
    .filter((one) => one.role === role && one.generation < generation)
    .sort((a, b) => b.generation - a.generation);
  for (const one of former.slice(1)) await ensureRole(client, loginOf(one), 'nologin');
}
