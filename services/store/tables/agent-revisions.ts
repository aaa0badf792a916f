import { first, type Queryable, sql } from '../sql.ts';

/** Why a revision was refused, or why one of its agents was held back; with its place. */
export interface RevisionReason {
  /** Within the folder of agents. */
  file: string;
  /** From 1. */
  line: number;
  column: number;
  message: string;
}

export interface RevisionRow {
  id: number;
  /** Where it comes from: `folder`, or repository, branch and path. Never a credential. */
  source: string;
  /** Null for a folder, as are author and subject. */
  commit: string | null;
  author: string | null;
  /** First line of the commit's message. */
  subject: string | null;
  state: 'active' | 'refused';
  /** The first ones; of an active revision those of agents that were held back. */
  reasons: RevisionReason[];
  reasons_left_out: number;
  /** Of an active one: the scenarios that its versions, live as they are, do not pass. */
  warnings: RevisionReason[];
  warnings_left_out: number;
  at: Date;
  /** What became of the commit status at the Git host; null where none is posted. */
  host_status: 'pending' | 'posted' | 'failed' | null;
  host_attempts: number;
  /** Why the last attempt failed. */
  host_error: string | null;
}

/** Holds until the transaction ends: activations of one tenant queue up, whichever process they come from. */
export const lockRevisions = (q: Queryable, tenant: string) =>
  q.query(sql`select pg_advisory_xact_lock(hashtextextended('parley.revisions ' || ${tenant}, 0))`);

export const newestRevision = (q: Queryable, source: string) =>
  first<RevisionRow>(q, sql`select * from agent_revisions where source = ${source} order by id desc limit 1`);

export type NewRevision = Pick<
  RevisionRow,
  'source' | 'commit' | 'author' | 'subject' | 'state' | 'reasons' | 'reasons_left_out' | 'host_status'
>;

export const insertRevision = (q: Queryable, tenant: string, r: NewRevision) =>
  first<{ id: number }>(
    q,
    sql`
    insert into agent_revisions (tenant_id, source, commit, author, subject, state, reasons, reasons_left_out, host_status)
    values (${tenant}, ${r.source}, ${r.commit}, ${r.author}, ${r.subject}, ${r.state}, ${JSON.stringify(r.reasons)},
      ${r.reasons_left_out}, ${r.host_status})
    returning id`,
  );

/** What its Git host was told is out of date with it: that is pending again. */
export const setWarnings = (q: Queryable, id: number, warnings: readonly RevisionReason[], leftOut: number) =>
  q.query(sql`
    update agent_revisions set warnings = ${JSON.stringify(warnings)}, warnings_left_out = ${leftOut},
      host_status = case when host_status is not null then 'pending' end, host_attempts = 0, host_error = null
    where id = ${id}`);

export interface ListedRevision extends RevisionRow {
  /** The newest that was activated: what it offered is what is live. */
  is_live: boolean;
}

/** Newest first; those before the revision `before`, if it is given. */
export const listRevisions = (q: Queryable, { limit, before = null }: { limit: number; before?: number | null }) =>
  q.query<ListedRevision>(sql`
    select *, id = (select max(id) from agent_revisions where state = 'active') as is_live
    from agent_revisions where ${before}::bigint is null or id < ${before} order by id desc limit ${limit}`);

/** Undefined when there is none, or when the host is to be told something newer of its commit. */
export const findUntoldRevision = (q: Queryable, id: number) =>
  first<RevisionRow>(
    q,
    sql`
    select * from agent_revisions r where id = ${id} and host_status = 'pending' and not exists
      (select 1 from agent_revisions n where n.commit = r.commit and n.id > r.id and n.host_status is not null)`,
  );

export const settleHostStatus = (
  q: Queryable,
  r: Pick<RevisionRow, 'id' | 'host_attempts' | 'host_error'> & { host_status: 'pending' | 'posted' | 'failed' },
) =>
  q.query(sql`
    update agent_revisions set host_status = ${r.host_status}, host_attempts = ${r.host_attempts}, host_error = ${r.host_error}
    where id = ${r.id}`);
