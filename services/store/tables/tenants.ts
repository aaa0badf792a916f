import { first, one, type Queryable, sql } from '../sql.ts';

export interface TenantRow {
  id: string;
  slug: string;
  name: string;
  /** What an operator switched on: `webhook` sends finished conversations. */
  features: { webhook?: boolean };
  caps: {
    concurrentSessions?: number;
    minutesPerMonth?: number;
    tokensPerDay?: number;
    /** Per cent of the hosts' places that it may take where other tenants could come. */
    fleetShare?: number;
  };
}

export const findTenant = (q: Queryable, id: string) =>
  first<TenantRow>(q, sql`select * from tenants where id = ${id}`);

/** As `findTenant`; nobody else changes it until the transaction ends. */
export const lockTenant = (q: Queryable, id: string) =>
  first<TenantRow>(q, sql`select * from tenants where id = ${id} for update`);

export const renameTenant = (q: Queryable, { id, name }: { id: string; name: string }) =>
  q.query(sql`update tenants set name = ${name} where id = ${id}`);

/** The id of the tenant with this slug, whoever asks. */
export const locateTenant = async (q: Queryable, slug: string) =>
  (await one<{ id: string | null }>(q, sql`select locate_tenant(${slug}) as id`)).id ?? undefined;

/** Caps that are not given stay as they are. Needs the owner's rights: the services' role cannot make tenants. */
export const upsertTenant = (
  q: Queryable,
  { slug, name, features, caps = {} }: Pick<TenantRow, 'slug' | 'name' | 'features'> & Partial<Pick<TenantRow, 'caps'>>,
) =>
  one<{ id: string }>(
    q,
    sql`
    insert into tenants (slug, name, features, caps) values (${slug}, ${name}, ${JSON.stringify(features)}, ${JSON.stringify(caps)})
    on conflict (slug) do update set features = excluded.features, caps = tenants.caps || excluded.caps returning id`,
  );
