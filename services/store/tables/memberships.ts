import type { Role } from '../../contract/roles.ts';
import { first, type Queryable, sql } from '../sql.ts';

export interface MemberRow {
  person: string;
  email: string;
  name: string;
  role: Role;
  since: Date;
}

export interface MyTenantRow {
  tenant_id: string;
  slug: string;
  name: string;
  role: Role;
}

/** Where a person is a member, whichever tenants these are. */
export const listMyTenants = (q: Queryable, person: string) =>
  q.query<MyTenantRow>(sql`select * from my_tenants(${person})`);

/** Whoever is a member already keeps the higher of the two roles. */
export const addMember = (q: Queryable, { tenant, person, role }: { tenant: string; person: string; role: Role }) =>
  q.query(sql`
    insert into people.memberships as m (tenant_id, person_id, role) values (${tenant}, ${person}, ${role})
    on conflict (tenant_id, person_id) do update set role = excluded.role
    where array_position(array['viewer', 'editor', 'admin', 'owner'], m.role)
      < array_position(array['viewer', 'editor', 'admin', 'owner'], excluded.role)`);

/** By name; `after` is the person who was the last of the page before. */
export const listMembers = (q: Queryable, { after, limit }: { after?: string | undefined; limit: number }) =>
  q.query<MemberRow>(sql`
    select p.id as person, p.email, p.name, m.role, m.since
    from people.memberships m join people.persons p on p.id = m.person_id
    where ${after ?? null}::uuid is null
      or (p.name, p.id) > (select l.name, l.id from people.persons l where l.id = ${after ?? null}::uuid)
    order by p.name, p.id limit ${limit}`);

export const findMember = (q: Queryable, person: string) =>
  first<MemberRow>(
    q,
    sql`
    select p.id as person, p.email, p.name, m.role, m.since
    from people.memberships m join people.persons p on p.id = m.person_id where m.person_id = ${person} for update of m`,
  );

/** Throws what `isLastOwner` knows. */
export const setRole = (q: Queryable, { person, role }: { person: string; role: Role }) =>
  q.query(sql`update people.memberships set role = ${role} where person_id = ${person}`);

/** Throws what `isLastOwner` knows. */
export const removeMember = (q: Queryable, person: string) =>
  q.query(sql`delete from people.memberships where person_id = ${person}`);

/** Whether the database refused to take the last owner away (functions/keep_an_owner.sql). */
export const isLastOwner = (error: unknown): boolean =>
  error instanceof Error && 'constraint' in error && error.constraint === 'keep_an_owner';
