import type { Request, Response } from 'express';
import { sha256 } from '../../core/sessions/ids.ts';

/** Without its quotes. */
export const etagOf = (object: object): string => sha256(JSON.stringify(object)).toString('base64url').slice(0, 22);

/** Answers with the object and its ETag, or with 304 to whoever has it already. */
export function withETag(req: Request, res: Response, object: object): void {
  res.set({ ETag: `"${etagOf(object)}"`, 'Cache-Control': 'private, no-cache' });
  if (req.fresh) res.status(304).end();
  else res.json(object);
}

/**
 * Whether the caller has this version. Express' own `req.fresh` says no as soon as a request has `Cache-Control: no-cache`, and
 * `fetch` adds that to every request whose program sends If-None-Match by itself.
 */
export const isKnown = (etag: string, ifNoneMatch = ''): boolean =>
  ifNoneMatch.split(',').some((known) => known.trim() === '*' || known.trim().replace(/^W\//, '') === etag);
