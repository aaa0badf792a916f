/** What tells people whether the parts of an installation are there. */
import { one, type Queryable, sql } from '../sql.ts';

export interface PartsRow {
  /** PostgreSQL's version. */
  postgres: string;
  /** Hosts that take conversations, and those that give away what they have. */
  hosts: number;
  draining: number;
  /** Conversations at a time that the former take, and spoken ones. */
  capacity: number;
  voice_capacity: number;
  /** Since a worker was last heard of; null: not within a day. */
  worker_silent_ms: number | null;
}

/** A host says once a second that it lives: after so long it is not counted, though nobody may have declared it dead yet. */
const silentHostMs = 15_000;

export const readParts = (q: Queryable): Promise<PartsRow> =>
  one<PartsRow>(
    q,
    sql`
    with there as (
      select draining, capacity, voice_capacity from hosts
      where beat_at > clock_timestamp() - ${silentHostMs}::float8 * interval '1 ms')
    select current_setting('server_version') as postgres,
      count(*) filter (where not draining)::int as hosts, count(*) filter (where draining)::int as draining,
      coalesce(sum(capacity) filter (where not draining), 0)::int as capacity,
      coalesce(sum(voice_capacity) filter (where not draining), 0)::int as voice_capacity,
      (select extract(epoch from clock_timestamp() - max(beat_at)) * 1000 from job_pools)::float8 as worker_silent_ms
    from there`,
  );
