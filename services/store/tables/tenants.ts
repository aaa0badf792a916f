import { first, one, type Queryable, sql } from '../sql.ts';

export interface TenantRow {
  id: string;
  slug: string;
  name: string;
  /** What an operator switched on: `webhook` sends finished conversations. */
  features: { webhook?: boolean };
  caps: { concurrentSessions?: number; minutesPerMonth?: number; tokensPerDay?: number };
}

export const findTenant = (q: Queryable, id: string) =>
  first<TenantRow>(q, sql`select * from tenants where id = ${id}`);

/** The id of the tenant with this slug, whoever asks. */
export const locateTenant = async (q: Queryable, slug: string) =>
  (await one<{ id: string | null }>(q, sql`select locate_tenant(${slug}) as id`)).id ?? undefined;

/** Needs the owner's rights: the services' role cannot make tenants. */
export const upsertTenant = (
  q: Queryable,
  { slug, name, features }: { slug: string; name: string; features: TenantRow['features'] },
) =>
  one<{ id: string }>(
    q,
    sql`
    insert into tenants (slug, name, features) values (${slug}, ${name}, ${JSON.stringify(features)})
    on conflict (slug) do update set features = excluded.features returning id`,
  );
