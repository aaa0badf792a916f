import { problems } from '../../contract/problems.ts';
import type { Database } from '../../store/database.ts';
import { type ListedRevision, listRevisions, type RevisionReason } from '../../store/tables/agent-revisions.ts';

/** What a source of agents offered, and what came of it, as a person is shown it. */
export interface ShownRevision {
  id: string;
  state: 'active' | 'refused';
  /** Whether what it offered is what is live. */
  isLive: boolean;
  /** Repository, branch and path, or `folder`. */
  source: string;
  /** Null for a folder, as are author and subject. */
  commit: string | null;
  author: string | null;
  /** First line of the commit's message. */
  subject: string | null;
  at: string;
  /** Why it was refused; of an active one, why some of its agents stay as they were. */
  reasons: RevisionReason[];
  /** How many more there were. */
  reasonsLeftOut: number;
  /** Scenarios, as they are now, that an agent of it does not pass although it is live. */
  warnings: RevisionReason[];
  warningsLeftOut: number;
  /** What became of the commit status at the Git host; null where none is posted. */
  commitStatus: { state: 'pending' | 'posted' | 'failed'; attempts: number; error: string | null } | null;
}

export interface RevisionPage {
  items: ShownRevision[];
  /** For the next page; null at the end. */
  nextCursor: string | null;
}

const mostAtOnce = 100;

/** Newest first. @throws Problem `invalid_request` for a cursor that is none of ours */
export async function listShownRevisions(
  db: Database,
  tenant: string,
  { limit = 50, cursor }: { limit?: number; cursor?: string } = {},
): Promise<RevisionPage> {
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor))
    throw problems.invalidRequest('The cursor is not one of ours: leave it out to begin with the newest.');
  const size = Math.max(1, Math.min(limit, mostAtOnce));
  const before = cursor === undefined ? null : Number(cursor);
  const rows = await db.asTenant(tenant, (tx) => listRevisions(tx, { limit: size + 1, before }));
  const shown = rows.slice(0, size);
  return { items: shown.map(toShown), nextCursor: rows.length > size ? String(shown.at(-1)?.id) : null };
}

const toShown = (row: ListedRevision): ShownRevision => ({
  id: String(row.id),
  state: row.state,
  isLive: row.is_live,
  source: row.source,
  commit: row.commit,
  author: row.author,
  subject: row.subject,
  at: row.at.toISOString(),
  reasons: row.reasons,
  reasonsLeftOut: row.reasons_left_out,
  warnings: row.warnings,
  warningsLeftOut: row.warnings_left_out,
  commitStatus:
    row.host_status === null ? null : { state: row.host_status, attempts: row.host_attempts, error: row.host_error },
});
