import type pg from 'pg';
import { readLogin } from '../../settings/database-login.ts';
import { ensureLogin } from './logins.ts';
import { ensureRole, hasRole } from './role.ts';

export interface Roles {
  /** Of api, worker and agent hosts: neither owner nor BYPASSRLS. */
  service: string;
  /** Owns the functions that look across tenants; nobody logs in as it. */
  locator: string;
  /** Of the API, for persons and what they may do; nobody else logs in as it. */
  people: string;
}

/** @param service the services' role */
export const peopleRole = (service: string): string => `${service}_people`;

/**
 * Makes the roles, or brings them up to date, with what they may do in the database as a whole. Without a password for it nobody comes to
 * log in as the role of persons; who could before still can.
 */
export async function ensureRoles(
  client: pg.Client,
  serviceUrl: URL,
  peoplePassword: string | undefined,
): Promise<Roles> {
  const login = readLogin(decodeURIComponent(serviceUrl.username));
  const service = login.role;
  const roles = { service, locator: `${service}_locator`, people: peopleRole(service) };
  await ensureLogin(client, login, decodeURIComponent(serviceUrl.password));
  await ensureRole(client, roles.locator, 'nologin');
  if (peoplePassword !== undefined)
    await ensureRole(client, roles.people, `login password ${client.escapeLiteral(peoplePassword)}`);
  else if (!(await hasRole(client, roles.people))) await ensureRole(client, roles.people, 'nologin');
  const database = client.escapeIdentifier(decodeURIComponent(serviceUrl.pathname.slice(1)));
  const whoConnects = [service, roles.people].map((role) => client.escapeIdentifier(role)).join(', ');
  await client.query(`grant connect on database ${database} to ${whoConnects}`);
  // Nobody here needs tables of a session's own, and they can stand in for ours.
  await client.query(`revoke temporary on database ${database} from public`);
  await client.query(`grant ${client.escapeIdentifier(roles.locator)} to current_user`);
  await client.query(`grant usage, create on schema public to ${client.escapeIdentifier(roles.locator)}`);
  return roles;
}

/** The text with the roles' names for `{{service}}`, `{{locator}}` and `{{people}}`. */
export const withRoles = (client: pg.Client, text: string, { service, locator, people }: Roles): string =>
  text
    .replaceAll('{{people}}', client.escapeIdentifier(people))
    .replaceAll('{{service}}', client.escapeIdentifier(service))
    .replaceAll('{{locator}}', client.escapeIdentifier(locator));
