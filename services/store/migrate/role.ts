import type pg from 'pg';

/** @param options as `create role` and `alter role` take them, with what they hold escaped */
export async function ensureRole(client: pg.Client, name: string, options: string): Promise<void> {
  const verb = (await hasRole(client, name)) ? 'alter' : 'create';
  await client.query(`${verb} role ${client.escapeIdentifier(name)} ${options}`);
}

export async function hasRole(client: pg.Client, name: string): Promise<boolean> {
  return ((await client.query('select 1 from pg_roles where rolname = $1', [name])).rowCount ?? 0) > 0;
}
