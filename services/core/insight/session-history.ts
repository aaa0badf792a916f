import type { Page } from '../../contract/account-answers.ts';
import type { ConversationItem } from '../../contract/history.ts';
import type { Database, Tx } from '../../store/database.ts';
import { listVersionsNamed } from '../../store/tables/agents.ts';
import { type HistoryFilters, type HistoryRow, listHistory } from '../../store/tables/session-history.ts';
import { findByWords } from '../../store/tables/session-words.ts';
import { toItem } from './conversation-item.ts';
import { type ListPosition, readListCursor, writeListCursor } from './list-cursor.ts';

export interface HistoryAsked extends Omit<HistoryFilters, 'versions'> {
  /** By the beginning of its hash, as a commit. */
  version?: string | undefined;
  commit?: string | undefined;
  /** Words that were all said in it. */
  words?: string | undefined;
  cursor?: string | undefined;
  limit: number;
}

const sessionId = /^s_[A-Za-z0-9_-]{22}$/;

/** A page of conversations, the newest first, and where the next one begins. @throws Problem `invalid_request` for a cursor that is none */
export async function sessionHistory(
  db: Database,
  tenant: string,
  { cursor, ...asked }: HistoryAsked,
): Promise<Page<ConversationItem>> {
  const after = cursor === undefined ? undefined : readListCursor(cursor, sessionId);
  const { rows, next } = await db.asTenant(tenant, (tx) => readPage(tx, asked, after));
  return { items: rows.map(toItem), nextCursor: next ? writeListCursor(next) : null };
}

interface RowsOfPage {
  rows: HistoryRow[];
  /** The last position that was looked at; undefined at the end. */
  next: ListPosition | undefined;
}

/** A page of rows within a transaction. */
export async function readPage(
  tx: Tx,
  { version, commit, words, limit, ...filters }: Omit<HistoryAsked, 'cursor'>,
  after: ListPosition | undefined,
): Promise<RowsOfPage> {
  const { agent } = filters;
  const named = version !== undefined || commit !== undefined;
  const versions = named
    ? (await listVersionsNamed(tx, { agent, version, commit })).map(({ hash }) => hash)
    : undefined;
  if (words !== undefined) return pageByWords(tx, { ...filters, versions, words, limit }, after);
  // One more than is shown tells whether there is a next page.
  const rows = await listHistory(tx, tx.tenant, { ...filters, versions, after, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  return { rows: shown, next: rows.length > shown.length ? shown.at(-1) : undefined };
}

/** As many are looked at for a page, at most: a page of a search may have fewer rows than were asked for, and still a next one. */
const foundAtOnce = 200;
const mostLooks = 5;
const searchedDays = 90;

async function pageByWords(
  tx: Tx,
  { words, limit, ...filters }: HistoryFilters & { words: string; limit: number },
  after: ListPosition | undefined,
): Promise<RowsOfPage> {
  const oldest = new Date(Date.now() - searchedDays * 86_400_000).toISOString();
  const from = filters.from !== undefined && filters.from > oldest ? filters.from : oldest;
  const rows: HistoryRow[] = [];
  let before: ListPosition = after ?? { position: filters.to ?? 'infinity', id: '' };
  for (let look = 0; look < mostLooks; look += 1) {
    const found = await findByWords(tx, { words, from, before, limit: foundAtOnce });
    const ids = found.map(({ session_id }) => session_id);
    rows.push(...(await listHistory(tx, tx.tenant, { ...filters, ids, limit: ids.length })));
    if (rows.length > limit) return { rows: rows.slice(0, limit), next: rows[limit - 1] };
    const last = found.at(-1);
    if (!last || found.length < foundAtOnce) return { rows, next: undefined };
    before = { position: last.position, id: last.session_id };
  }
  return { rows, next: before };
}
