/**
 * Whom the services log in as. A role of PostgreSQL has one password: so that processes that run are let in by theirs while others come with
 * the next, each password but the first has a login of its own, which acts as the services' role.
 */
export interface DatabaseLogin {
  /** The services' role, whose rights it has. */
  role: string;
  /** The how many-th password it is, from 1. */
  generation: number;
}

export const loginOf = ({ role, generation }: DatabaseLogin): string =>
  generation === 1 ? role : `${role}_login_${generation}`;

export function readLogin(login: string): DatabaseLogin {
  const [, role = login, generation = '1'] = /^(.+)_login_([2-9]|[1-9]\d+)$/.exec(login) ?? [];
  return { role, generation: Number(generation) };
}
