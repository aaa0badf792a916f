/** Cursors of lists that are ordered by a time and an id. */
import { problems } from '../../contract/problems.ts';

export interface ListPosition {
  /** A time as PostgreSQL writes it, as exactly as the database knows it. */
  position: string;
  id: string;
}

export const writeListCursor = ({ position, id }: ListPosition): string =>
  Buffer.from(`${position} ${id}`).toString('base64url');

const cursorForm = /^(\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?[+-]\d\d(?::\d\d)?) (\S+)$/;

/** @param idForm what an id of the list is like. @throws Problem `invalid_request` for what `writeListCursor` has not written */
export function readListCursor(cursor: string, idForm: RegExp): ListPosition {
  const [, position = '', id = ''] = cursorForm.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  const isTime = !Number.isNaN(Date.parse(position.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')));
  if (isTime && idForm.test(id)) return { position, id };
  throw problems.invalidRequest('"cursor" is none of ours: give nextCursor of the page before, as it came.');
}
