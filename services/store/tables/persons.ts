import { first, type Queryable, sql } from '../sql.ts';

export interface PersonRow {
  id: string;
  email: string;
  name: string;
  /** A hash by argon2id; null: none is set. */
  password: string | null;
}

export const findPerson = (q: Queryable, id: string) =>
  first<PersonRow>(q, sql`select id, email, name, password from people.persons where id = ${id}`);

export const lockPerson = (q: Queryable, id: string) =>
  first<PersonRow>(q, sql`select id, email, name, password from people.persons where id = ${id} for update`);

/** Those of these ids who are there. */
export const listPersons = (q: Queryable, ids: readonly string[]) =>
  q.query<Pick<PersonRow, 'id' | 'email' | 'name'>>(
    sql`select id, email, name from people.persons where id = any (${ids}::uuid[])`,
  );

/** @param email in lower case */
export const findPersonByEmail = (q: Queryable, email: string) =>
  first<PersonRow>(q, sql`select id, email, name, password from people.persons where email = ${email}`);

/** Nothing where there is somebody of this address already. */
export const insertPerson = (q: Queryable, person: Omit<PersonRow, 'id'>) =>
  first<PersonRow>(
    q,
    sql`
    insert into people.persons (email, name, password) values (${person.email}, ${person.name}, ${person.password})
    on conflict (email) do nothing returning id, email, name, password`,
  );

export const setPassword = (q: Queryable, { person, password }: { person: string; password: string }) =>
  q.query(sql`update people.persons set password = ${password} where id = ${person}`);
