import { type Queryable, sql } from '../sql.ts';

/** Work for the worker, put on the list in the transaction that makes it necessary. Payloads carry ids only. */
export interface Jobs {
  finish_session: { tenant: string; session: string };
  /** Whatever is due of an agent's deliveries. */
  deliver_webhooks: { tenant: string; agent: string };
  /** One delivery: what the release before 0022 puts on the list. */
  deliver_webhook: { tenant: string; delivery: string };
  post_commit_status: { tenant: string; revision: number };
  /** Makes a call that somebody asked for. */
  place_call: { tenant: string; call: string };
  /** Writes what a person wants changed in an agent's file. */
  change_agent: { tenant: string; change: string };
  /** Runs an agent's scenarios against the version that is live. */
  run_scenarios: { tenant: string; agent: string };
}

export interface JobOptions {
  key: string;
  queue?: string;
  runAt?: Date;
  maxAttempts?: number;
  unlessEarlier?: boolean;
}

/**
 * `key` makes the job unique: one that waits already under it is replaced, or, with `unlessEarlier`, stays when it is due.
 * Jobs of a `queue` run one after another.
 */
export const addJob = <Name extends keyof Jobs>(
  q: Queryable,
  name: Name,
  payload: Jobs[Name],
  { key, queue, runAt, maxAttempts, unlessEarlier }: JobOptions,
) =>
  q.query(sql`
    select 1 from graphile_worker.add_job(${name}, payload := ${JSON.stringify(payload)}::json, job_key := ${key},
      queue_name := ${queue ?? null}, run_at := ${runAt ?? null}, max_attempts := ${maxAttempts ?? 25},
      job_key_mode := ${unlessEarlier ? 'preserve_run_at' : 'replace'})`);
