import type { Request } from 'express';
import { problems } from '../../contract/problems.ts';
import { etagOf } from './etag.ts';

/** What stands in If-Match: one strong ETag, without its quotes. @throws Problem `precondition_required`, `precondition_failed` */
export function ifMatchOf(req: Request): string {
  const given = req.get('If-Match');
  if (given === undefined) throw problems.preconditionRequired();
  const tag = /^"([\w-]{1,100})"$/.exec(given.trim())?.[1];
  if (tag === undefined) throw problems.preconditionFailed();
  return tag;
}

/**
 * Tells of an object whether it is still what the caller has read; of `*` it is true of any (RFC 9110, 13.1.1).
 * @throws Problem `precondition_required`, `precondition_failed`
 */
export function sameAsRead(req: Request): (object: object) => boolean {
  if (req.get('If-Match')?.trim() === '*') return () => true;
  const tag = ifMatchOf(req);
  return (object) => etagOf(object) === tag;
}

/** The same, of a file in Git. @throws Problem `precondition_required`, `precondition_failed` */
export function fileIdMatched(req: Request): string {
  const tag = ifMatchOf(req);
  if (/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(tag)) return tag;
  throw problems.preconditionFailed();
}
