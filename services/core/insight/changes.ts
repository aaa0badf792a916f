/** What people see of the changes that they asked for. */
import type { ChangeShown } from '../../contract/deployment-answers.ts';
import { problems } from '../../contract/problems.ts';
import type { Database } from '../../store/database.ts';
import { type AgentChangeRow, type ChangesQuery, findChange, listChanges } from '../../store/tables/agent-changes.ts';
import { readListCursor, writeListCursor } from './list-cursor.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const toShownChange = (row: AgentChangeRow): ChangeShown => ({
  id: row.id,
  agent: row.agent,
  kind: row.kind,
  wanted: row.wanted,
  message: row.message,
  person: { id: row.person_id, name: row.author },
  state: row.state,
  problem: row.problem && { code: row.problem.code, message: row.problem.message, details: row.problem.details ?? [] },
  branch: row.branch,
  commit: row.commit,
  link: row.link,
  fellBack: row.fell_back,
  fileId: row.file_id,
  activation: row.activation,
  reasons: row.reasons,
  createdAt: row.created_at,
  settledAt: row.settled_at,
});

/** A page of changes, the newest first. @throws Problem `invalid_request` for a cursor that is none */
export async function listShownChanges(
  db: Database,
  tenant: string,
  { cursor, ...query }: Omit<ChangesQuery, 'after'> & { cursor: string | undefined },
) {
  const after = cursor === undefined ? undefined : readListCursor(cursor, uuid);
  // One more than is shown tells whether there is a next page.
  const rows = await db.asTenant(tenant, (tx) => listChanges(tx, tenant, { ...query, after, limit: query.limit + 1 }));
  const shown = rows.slice(0, query.limit);
  const last = shown.at(-1);
  return {
    items: shown.map(toShownChange),
    nextCursor: rows.length > shown.length && last ? writeListCursor(last) : null,
  };
}

/** @throws Problem `change_not_found` */
export async function showChange(db: Database, { tenant, change }: { tenant: string; change: string }) {
  const row = await db.asTenant(tenant, (tx) => findChange(tx, change));
  if (!row) throw problems.changeNotFound();
  return toShownChange(row);
}
