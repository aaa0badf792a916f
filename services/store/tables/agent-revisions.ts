import { first, type Queryable, sql } from '../sql.ts';

export interface RevisionRow {
  id: number;
  /** Where it comes from: `folder`, or repository, branch and path. Never a credential. */
  source: string;
  /** Null for a folder. */
  commit: string | null;
  state: 'active' | 'refused';
  /** Why it was refused: the first faults, one a line. */
  reason: string | null;
  at: Date;
}

/** Holds until the transaction ends: activations of one tenant queue up, whichever process they come from. */
export const lockRevisions = (q: Queryable, tenant: string) =>
  q.query(sql`select pg_advisory_xact_lock(hashtextextended('parley.revisions ' || ${tenant}, 0))`);

export const newestRevision = (q: Queryable, source: string) =>
  first<RevisionRow>(
    q,
    sql`select id, source, commit, state, reason, at from agent_revisions where source = ${source} order by id desc limit 1`,
  );

export const insertRevision = (
  q: Queryable,
  tenant: string,
  { source, commit, state, reason }: Pick<RevisionRow, 'source' | 'commit' | 'state' | 'reason'>,
) =>
  q.query(sql`
    insert into agent_revisions (tenant_id, source, commit, state, reason)
    values (${tenant}, ${source}, ${commit}, ${state}, ${reason})`);

export const listRevisions = (q: Queryable, limit: number) =>
  q.query<RevisionRow>(
    sql`select id, source, commit, state, reason, at from agent_revisions order by id desc limit ${limit}`,
  );
