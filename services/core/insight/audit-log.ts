import type { Page } from '../../contract/account-answers.ts';
import type { AuditItem } from '../../contract/deployment-answers.ts';
import type { Database } from '../../store/database.ts';
import { type AuditQuery, type AuditRow, listAudit } from '../../store/tables/audit.ts';
import { listPersons } from '../../store/tables/persons.ts';

interface AuditDeps {
  db: Database;
  /** As the role for persons. */
  people: Database;
}

/** A page of what people did, the newest first, with who they are as of now; whoever is gone has their id only. */
export async function auditLog({ db, people }: AuditDeps, tenant: string, query: AuditQuery): Promise<Page<AuditItem>> {
  // One more than is shown tells whether there is a next page.
  const rows = await db.asTenant(tenant, (tx) => listAudit(tx, tenant, { ...query, limit: query.limit + 1 }));
  const shown = rows.slice(0, query.limit);
  const ids = new Set(shown.flatMap(({ person_id }) => person_id ?? []));
  const persons = new Map((await listPersons(people, [...ids])).map((person) => [person.id, person]));
  return {
    items: shown.map((row) => ({ ...toItem(row), person: personIn(persons, row) })),
    nextCursor: rows.length > shown.length ? String(shown.at(-1)?.id) : null,
  };
}

const toItem = ({ id, at, action, target, details, request_id }: AuditRow) => ({
  id: String(id),
  at,
  action,
  target,
  details,
  requestId: request_id,
});

function personIn(persons: ReadonlyMap<string, { email: string; name: string }>, { person_id: id }: AuditRow) {
  if (id === null) return null;
  const known = persons.get(id);
  return { id, email: known?.email ?? null, name: known?.name ?? null };
}
