import type { ManagedBy } from '../../contract/telephony.ts';
import { first, type Queryable, sql } from '../sql.ts';

export interface TrunkRow {
  tenant_id: string;
  id: string;
  name: string;
  /** host or host:port */
  address: string;
  transport: 'udp' | 'tcp' | 'tls';
  auth_username: string | null;
  /** The name of a variable, never the password. */
  auth_password: string | null;
  /** From which calls are taken: addresses or networks. */
  allowed_addresses: string[];
  /** What may be dialled, such as +49; none: nothing. */
  allowed_prefixes: string[];
  max_dials_per_minute: number;
  /** Of each allowed prefix. */
  max_calls_a_day: number;
  max_minutes_a_day: number;
  managed_by: ManagedBy;
  created_at: Date;
}

export type NewTrunk = Omit<TrunkRow, 'tenant_id' | 'created_at'>;

/** The tenants that have a trunk: each is then read under its own policy. */
export const locateTrunks = async (q: Queryable): Promise<string[]> =>
  (await q.query<{ tenant_id: string }>(sql`select tenant_id from locate_trunks()`)).map(({ tenant_id }) => tenant_id);

export const listTrunks = (q: Queryable) => q.query<TrunkRow>(sql`select * from trunks order by name`);

export const findTrunk = (q: Queryable, id: string) => first<TrunkRow>(q, sql`select * from trunks where id = ${id}`);

export const findTrunkByName = (q: Queryable, name: string) =>
  first<TrunkRow>(q, sql`select * from trunks where name = ${name}`);

/** The row, locked until the transaction ends: calls of one trunk are counted against its caps one at a time. */
export const lockTrunk = (q: Queryable, id: string) =>
  first<TrunkRow>(q, sql`select * from trunks where id = ${id} for update`);

/** Undefined when the tenant has one of that name already. */
export const insertTrunk = (q: Queryable, tenant: string, t: NewTrunk) =>
  first<TrunkRow>(
    q,
    sql`
    insert into trunks (tenant_id, id, name, address, transport, auth_username, auth_password, allowed_addresses, allowed_prefixes,
      max_dials_per_minute, max_calls_a_day, max_minutes_a_day, managed_by)
    values (${tenant}, ${t.id}, ${t.name}, ${t.address}, ${t.transport}, ${t.auth_username}, ${t.auth_password}, ${t.allowed_addresses},
      ${t.allowed_prefixes}, ${t.max_dials_per_minute}, ${t.max_calls_a_day}, ${t.max_minutes_a_day}, ${t.managed_by})
    on conflict (tenant_id, name) do nothing returning *`,
  );

export const updateTrunk = (q: Queryable, t: Omit<NewTrunk, 'name' | 'managed_by'>) =>
  first<TrunkRow>(
    q,
    sql`
    update trunks set address = ${t.address}, transport = ${t.transport}, auth_username = ${t.auth_username},
      auth_password = ${t.auth_password}, allowed_addresses = ${t.allowed_addresses}, allowed_prefixes = ${t.allowed_prefixes},
      max_dials_per_minute = ${t.max_dials_per_minute}, max_calls_a_day = ${t.max_calls_a_day}, max_minutes_a_day = ${t.max_minutes_a_day}
    where id = ${t.id} returning *`,
  );

/** False when it still has numbers. */
export const deleteTrunk = async (q: Queryable, id: string) =>
  (
    await q.query(sql`
      delete from trunks t where id = ${id} and not exists (select from numbers n where n.trunk_id = t.id) returning 1`)
  ).length > 0;
