import { readLogin } from '../settings/database-login.ts';
import { peopleRole } from './migrate/roles.ts';

/** The database as the role for persons sees it: that of the services, with the other role's name and password. */
export function peopleDatabaseUrl(serviceUrl: string, password: string): string {
  const url = new URL(serviceUrl);
  url.username = encodeURIComponent(peopleRole(readLogin(decodeURIComponent(url.username)).role));
  url.password = encodeURIComponent(password);
  return url.href;
}
