import type { SessionItem } from '../../contract/account-answers.ts';
import { problems } from '../../contract/problems.ts';
import type { Database } from '../../store/database.ts';
import { type HistoryQuery, type HistoryRow, listHistory } from '../../store/tables/session-history.ts';

/** A page of conversations, the newest first, and where the next one begins. @throws Problem `invalid_request` for a cursor that is none */
export async function sessionHistory(
  db: Database,
  tenant: string,
  { cursor, ...query }: Omit<HistoryQuery, 'after'> & { cursor?: string | undefined },
) {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  // One more than is shown tells whether there is a next page.
  const asked = { ...query, after, limit: query.limit + 1 };
  const rows = await db.asTenant(tenant, (tx) => listHistory(tx, tenant, asked));
  const shown = rows.slice(0, query.limit);
  const last = shown.at(-1);
  return { items: shown.map(toItem), nextCursor: rows.length > shown.length && last ? writeCursor(last) : null };
}

const toItem = (row: HistoryRow): SessionItem => ({
  id: row.id,
  agent: row.agent,
  version: row.version_hash.slice(0, 12),
  status: row.status,
  endReason: row.end_reason,
  channel: row.channel,
  interactionMode: row.interaction_mode,
  language: row.language,
  createdAt: row.created_at,
  startedAt: row.started_at,
  endedAt: row.ended_at,
  durationSeconds: row.duration_seconds,
  billedSeconds: row.billed_seconds,
  turns: row.turns,
  summary: row.summary,
  outcome: row.outcome,
  sentiment: row.sentiment,
});

const writeCursor = ({ place, id }: HistoryRow): string => Buffer.from(`${place} ${id}`).toString('base64url');

/** A time as PostgreSQL writes it, and a session's id. */
const cursorForm = /^(\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?[+-]\d\d(?::\d\d)?) (s_[A-Za-z0-9_-]{22})$/;

function readCursor(cursor: string): { place: string; id: string } {
  const [, place, id] = cursorForm.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (
    place === undefined ||
    id === undefined ||
    Number.isNaN(Date.parse(place.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')))
  )
    throw problems.invalidRequest('"cursor" is none of ours: give nextCursor of the page before, as it came.');
  return { place, id };
}
