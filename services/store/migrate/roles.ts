import type pg from 'pg';

export interface Roles {
  /** Of api, worker and agent hosts: neither owner nor BYPASSRLS. */
  service: string;
  /** Owns the functions that look across tenants; nobody logs in as it. */
  locator: string;
}

/** Makes the roles, or brings them up to date, with what they may do in the database as a whole. */
export async function ensureRoles(client: pg.Client, serviceUrl: URL): Promise<Roles> {
  const service = decodeURIComponent(serviceUrl.username);
  const roles = { service, locator: `${service}_locator` };
  const password = client.escapeLiteral(decodeURIComponent(serviceUrl.password));
  await ensureRole(client, roles.service, `login password ${password}`);
  await ensureRole(client, roles.locator, 'nologin');
  const database = client.escapeIdentifier(decodeURIComponent(serviceUrl.pathname.slice(1)));
  await client.query(`grant connect on database ${database} to ${client.escapeIdentifier(service)}`);
  // Nobody here needs tables of a session's own, and they can stand in for ours.
  await client.query(`revoke temporary on database ${database} from public`);
  await client.query(`grant ${client.escapeIdentifier(roles.locator)} to current_user`);
  await client.query(`grant usage, create on schema public to ${client.escapeIdentifier(roles.locator)}`);
  return roles;
}

async function ensureRole(client: pg.Client, name: string, options: string): Promise<void> {
  const found = await client.query('select 1 from pg_roles where rolname = $1', [name]);
  const verb = found.rowCount ? 'alter' : 'create';
  await client.query(`${verb} role ${client.escapeIdentifier(name)} ${options}`);
}

/** The text with the roles' names for `{{service}}` and `{{locator}}`. */
export const withRoles = (client: pg.Client, text: string, { service, locator }: Roles): string =>
  text
    .replaceAll('{{service}}', client.escapeIdentifier(service))
    .replaceAll('{{locator}}', client.escapeIdentifier(locator));
