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

/** Throws where the identity is somebody's already. */
export const insertIdentity = (q: Queryable, { issuer, subject, person }: IdentityKey & { person: string }) =>
  q.query(sql`insert into people.identities (issuer, subject, person_id) values (${issuer}, ${subject}, ${person})`);
