/** Cursors of lists that are ordered by a time and an id. */
import { problems } from '../../contract/problems.ts';

export interface Place {
  /** A time as PostgreSQL writes it, as exactly as the database knows it. */
  place: string;
  id: string;
}

export const writePlace = ({ place, id }: Place): string => Buffer.from(`${place} ${id}`).toString('base64url');

const placeForm = /^(\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?[+-]\d\d(?::\d\d)?) (\S+)$/;

/** @param idForm what an id of the list is like. @throws Problem `invalid_request` for what `writePlace` has not written */
export function readPlace(cursor: string, idForm: RegExp): Place {
  const [, place = '', id = ''] = placeForm.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  const isTime = !Number.isNaN(Date.parse(place.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')));
  if (isTime && idForm.test(id)) return { place, id };
  throw problems.invalidRequest('"cursor" is none of ours: give nextCursor of the page before, as it came.');
}
