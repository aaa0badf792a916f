import { problems } from '../../contract/problems.ts';

/** Where a page of conversations ends: a time as PostgreSQL writes it, and a session's id. */
export interface HistoryPosition {
  position: string;
  id: string;
}

export const writeCursor = ({ position, id }: HistoryPosition): string =>
  Buffer.from(`${position} ${id}`).toString('base64url');

const cursorForm = /^(\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?[+-]\d\d(?::\d\d)?) (s_[A-Za-z0-9_-]{22})$/;

/** @throws Problem `invalid_request` for what is no cursor of ours */
export function readCursor(cursor: string): HistoryPosition {
  const [, position, id] = cursorForm.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (
    position === undefined ||
    id === undefined ||
    Number.isNaN(Date.parse(position.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')))
  )
    throw problems.invalidRequest('"cursor" is none of ours: give nextCursor of the page before, as it came.');
  return { position, id };
}
