import { type Queryable, sql } from '../sql.ts';

/** Work for the worker, put on the list in the transaction that makes it necessary. Payloads carry ids only. */
export interface Jobs {
  finish_session: { tenant: string; session: string };
  deliver_webhook: { tenant: string; delivery: string };
  post_commit_status: { tenant: string; revision: number };
}

/** `key` makes the job unique: one that waits already under it is replaced. Jobs of a `queue` run one after another. */
export const addJob = <Name extends keyof Jobs>(
  q: Queryable,
  name: Name,
  payload: Jobs[Name],
  { key, queue, runAt, maxAttempts }: { key: string; queue?: string; runAt?: Date; maxAttempts?: number },
) =>
  q.query(sql`
    select 1 from graphile_worker.add_job(${name}, payload := ${JSON.stringify(payload)}::json, job_key := ${key},
      queue_name := ${queue ?? null}, run_at := ${runAt ?? null}, max_attempts := ${maxAttempts ?? 25})`);
