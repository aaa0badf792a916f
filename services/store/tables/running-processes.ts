import { type Queryable, sql } from '../sql.ts';

export interface RunningProcess {
  id: string;
  process: 'api' | 'worker' | 'agent';
  release: string;
}

export const beatProcess = (q: Queryable, { id, process, release }: RunningProcess) =>
  q.query(sql`
    insert into running_processes (id, process, release) values (${id}, ${process}, ${release})
    on conflict (id) do update set beat_at = clock_timestamp()`);

export const deleteProcess = (q: Queryable, id: string) => q.query(sql`delete from running_processes where id = ${id}`);

/** Processes are named anew with every start: what has not been heard of for a day comes no more. */
export const forgetProcesses = (q: Queryable) =>
  q.query(sql`delete from running_processes where beat_at < clock_timestamp() - interval '1 day'`);

export interface ReleaseRow extends Pick<RunningProcess, 'process' | 'release'> {
  /** Processes of it that were heard of lately. */
  running: number;
}

/** A process says every 10 s that it lives. */
const silentMs = 35_000;
/** Of a rollout's two, with room for whoever starts many by hand. */
const mostReleases = 50;

export const listReleases = (q: Queryable) =>
  q.query<ReleaseRow>(sql`
    select process, release, count(*)::integer as running from running_processes
    where beat_at > clock_timestamp() - ${silentMs}::float8 * interval '1 ms'
    group by process, release order by process, release limit ${mostReleases}`);
