import { type Queryable, sql } from '../sql.ts';

export interface OptOutRow {
  number_hash: Buffer;
  sealed: string;
  since: Date;
  why: string;
}

/** Whether one of these hashes is there: a number has one under each master key. */
export const isOptedOut = async (q: Queryable, hashes: readonly Buffer[]) =>
  (await q.query(sql`select 1 from opt_outs where number_hash = any (${hashes}) limit 1`)).length > 0;

/** One that is there already stays as it is. */
export const insertOptOut = (q: Queryable, tenant: string, { number_hash, sealed, why }: Omit<OptOutRow, 'since'>) =>
  q.query(sql`
    insert into opt_outs (tenant_id, number_hash, sealed, why) values (${tenant}, ${number_hash}, ${sealed}, ${why}) on conflict do nothing`);

export const deleteOptOut = async (q: Queryable, hashes: readonly Buffer[]) =>
  (await q.query(sql`delete from opt_outs where number_hash = any (${hashes}) returning 1`)).length > 0;

/** The newest first. */
export const listOptOuts = (q: Queryable, { before, limit }: { before: string | undefined; limit: number }) =>
  q.query<OptOutRow>(sql`
    select * from opt_outs where ${before ?? null}::timestamptz is null or since < ${before ?? null}::timestamptz
    order by since desc limit ${limit}`);
