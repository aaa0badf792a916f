import type { Request, RequestHandler } from 'express';
import { problems } from '../../contract/problems.ts';

/** Only our own pages may ask; a request without Origin is no page's. @throws Problem `origin_not_allowed` */
export const ownOrigin: RequestHandler = (req, _res, next) => {
  const { origin } = req.headers;
  if (origin !== undefined && !isOwn(req, origin)) throw problems.foreignOrigin(origin.slice(0, 200));
  next();
};

/** For routes that a cookie opens, which a browser sends unasked: it must say whose page asks. @throws Problem `origin_not_allowed` */
export const originSaid: RequestHandler = (req, _res, next) => {
  if (req.headers.origin === undefined) throw problems.originMissing();
  next();
};

/** A page is ours when it was loaded from where it asks. The cookie of another name would not come here. */
export function isOwn(req: Request, origin: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === req.headers.host?.toLowerCase();
}
