import { one, type Queryable, sql } from '../sql.ts';

export interface AccountRequest {
  /** Who asked for what, under which Idempotency-Key. */
  scopeHash: Buffer;
  bodyHash: Buffer;
}

/** The time that its answer is kept. */
const keptFor = '24 hours';

export const forgetOldRequests = (q: Queryable) =>
  q.query(sql`delete from account_requests where created_at < clock_timestamp() - ${keptFor}::interval`);

/** False when there is one already. Waits for another transaction that has taken it and is not over yet. */
export const takeRequest = async (q: Queryable, tenant: string, { scopeHash, bodyHash }: AccountRequest) =>
  (
    await q.query(sql`
      insert into account_requests (tenant_id, scope_hash, body_hash) values (${tenant}, ${scopeHash}, ${bodyHash})
      on conflict do nothing returning 1`)
  ).length > 0;

export const findRequest = (q: Queryable, scopeHash: Buffer) =>
  one<{ body_hash: Buffer; answer: string }>(
    q,
    sql`select body_hash, answer from account_requests where scope_hash = ${scopeHash}`,
  );

export const keepAnswer = (q: Queryable, scopeHash: Buffer, answer: string) =>
  q.query(sql`update account_requests set answer = ${answer} where scope_hash = ${scopeHash}`);
