import { first, type Queryable, sql } from '../sql.ts';

/** As long as Turnstile's own answers hold (developers.cloudflare.com/turnstile/get-started/server-side-validation: 300 s). */
const keptFor = '5 minutes';

/** An answer that a provider has verified, and with which nothing was made. */
export const keepUnusedAnswer = (q: Queryable, tenant: string, answerHash: Buffer) =>
  q.query(sql`
    insert into unused_answers (tenant_id, answer_hash, expires_at)
    values (${tenant}, ${answerHash}, clock_timestamp() + ${keptFor}::interval)
    on conflict (tenant_id, answer_hash) do nothing`);

/** Whether it was kept, and holds still; it is used up with this. */
export const takeUnusedAnswer = async (q: Queryable, answerHash: Buffer): Promise<boolean> =>
  (
    await first<{ holds: boolean }>(
      q,
      sql`delete from unused_answers where answer_hash = ${answerHash} returning expires_at > clock_timestamp() as holds`,
    )
  )?.holds === true;
