import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { problems } from '../../contract/problems.ts';
import { precompressed } from '../http/precompressed.ts';
import { strictPageHeaders } from '../http/security-headers.ts';
import { widgetPreview } from './widget-preview.ts';

const built = fileURLToPath(new URL('../../web/dashboard/dist/', import.meta.url));
const start = join(built, 'index.html');
const assets = join(built, 'assets');

/** Every address of the dashboard: the page itself finds out which of its pages is meant. */
const addresses = ['/', '/sign-in', '/invitation', '/reset-password', '/account', '/t/:tenant{/*rest}'];

/**
 * The dashboard's pages, for whoever asks for HTML; a program that asks for anything else is answered as if there were none (an unknown
 * address is 404 as JSON, and POST /invitation is the account API's).
 * @param publicUrl of the room server, where test conversations take place
 */
export function dashboardPages({ publicUrl }: { publicUrl: string }): Router {
  const router = Router();
  const headers = strictPageHeaders(publicUrl);
  router.use(
    '/assets',
    named('/assets'),
    headers,
    precompressed(assets),
    express.static(assets, { index: false, setHeaders: keptForEver }),
  );
  router.get('/widget-preview', ...widgetPreview(publicUrl));
  router.get(addresses, (req, res, next) => {
    if (!asksForPage(req)) return next();
    req.routePattern = 'dashboard';
    headers(req, res, () => sendPage(res));
  });
  return router;
}

const named =
  (pattern: string): RequestHandler =>
  (req, _res, next) => {
    req.routePattern = pattern;
    next();
  };

const asksForPage = (req: Request): boolean => (req.headers.accept ?? '').includes('text/html');

/** Asked for anew each time: a newer release has other names for what it loads. */
function sendPage(res: Response): void {
  if (!existsSync(start)) throw problems.pageNotBuilt();
  res.vary('Accept').setHeader('Cache-Control', 'no-cache');
  res.sendFile(start, { cacheControl: false });
}

/** Their names have the hash of what is in them. */
const keptForEver = (res: Response): void => {
  res.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
};
