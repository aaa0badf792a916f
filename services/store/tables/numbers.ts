import type { ManagedBy, OpeningHours } from '../../contract/telephony.ts';
import { first, one, type Queryable, sql } from '../sql.ts';

export interface NumberRow {
  tenant_id: string;
  /** As +4930123456. */
  number: string;
  trunk_id: string;
  /** Null: nobody answers yet. */
  agent: string | null;
  /** Null: the agent's own. */
  language: string | null;
  /** Null: always. */
  hours: OpeningHours | null;
  when_refused: 'busy' | 'sentence';
  managed_by: ManagedBy;
  created_at: Date;
}

export type NewNumber = Omit<NumberRow, 'tenant_id' | 'created_at'>;

/** The tenant that a number belongs to, whoever asks. */
export const locateNumber = async (q: Queryable, number: string) =>
  (await one<{ tenant: string | null }>(q, sql`select locate_number(${number}) as tenant`)).tenant ?? undefined;

export const findNumber = (q: Queryable, number: string) =>
  first<NumberRow>(q, sql`select * from numbers where number = ${number}`);

export const lockNumber = (q: Queryable, number: string) =>
  first<NumberRow>(q, sql`select * from numbers where number = ${number} for update`);

/** By number, of those after `after`. */
export const listNumbers = (q: Queryable, { after, limit }: { after: string | undefined; limit: number }) =>
  q.query<NumberRow>(sql`select * from numbers where number > ${after ?? ''} order by number limit ${limit}`);

export const listNumbersOfTrunk = (q: Queryable, trunk: string) =>
  q.query<NumberRow>(sql`select * from numbers where trunk_id = ${trunk} order by number`);

export const listNumbersOfStack = (q: Queryable) =>
  q.query<NumberRow>(sql`select * from numbers where managed_by = 'stack' order by number`);

/** Undefined when somebody has the number already, perhaps another tenant. */
export const insertNumber = (q: Queryable, tenant: string, n: NewNumber) =>
  first<NumberRow>(
    q,
    sql`
    insert into numbers (tenant_id, number, trunk_id, agent, language, hours, when_refused, managed_by)
    values (${tenant}, ${n.number}, ${n.trunk_id}, ${n.agent}, ${n.language}, ${jsonOrNull(n.hours)}, ${n.when_refused}, ${n.managed_by})
    on conflict (number) do nothing returning *`,
  );

export const updateNumber = (q: Queryable, n: Omit<NewNumber, 'managed_by'>) =>
  first<NumberRow>(
    q,
    sql`
    update numbers set trunk_id = ${n.trunk_id}, agent = ${n.agent}, language = ${n.language}, hours = ${jsonOrNull(n.hours)},
      when_refused = ${n.when_refused}
    where number = ${n.number} returning *`,
  );

export const deleteNumber = async (q: Queryable, number: string) =>
  (await q.query(sql`delete from numbers where number = ${number} returning 1`)).length > 0;

const jsonOrNull = (value: OpeningHours | null) => value && JSON.stringify(value);
