import { first, type Queryable, sql } from '../sql.ts';
import type { PersonRow } from './persons.ts';

/** Whom an identity provider knows. */
export interface IdentityKey {
  issuer: string;
  subject: string;
}

export const findPersonByIdentity = (q: Queryable, { issuer, subject }: IdentityKey) =>
  first<PersonRow>(
    q,
    sql`
    select p.id, p.email, p.name, p.password from people.identities i join people.persons p on p.id = i.person_id
    where i.issuer = ${issuer} and i.subject = ${subject}`,
  );

/** Whether it was nobody's until now. */
export const insertIdentity = async (
  q: Queryable,
  { issuer, subject, person }: IdentityKey & { person: string },
): Promise<boolean> =>
  (await first(
    q,
    sql`
    insert into people.identities (issuer, subject, person_id) values (${issuer}, ${subject}, ${person})
    on conflict (issuer, subject) do nothing returning 1`,
  )) !== undefined;

export interface IdentityRow {
  id: string;
  issuer: string;
  created_at: Date;
}

/** The oldest first. */
export const listIdentities = (q: Queryable, person: string) =>
  q.query<IdentityRow>(
    sql`select id, issuer, created_at from people.identities where person_id = ${person} order by created_at, id`,
  );

export const deleteIdentity = (q: Queryable, { person, identity }: { person: string; identity: string }) =>
  q.query(sql`delete from people.identities where person_id = ${person} and id = ${identity}`);
