import { type Request, type RequestHandler, type Response, Router } from 'express';
import { problems } from '../../contract/problems.ts';
import { isKnown } from '../http/etag.ts';
import { type BuiltFile, readBuiltFiles } from './files.ts';

/** A page's visitors get a new loader within so many seconds of an upgrade. */
const loaderSeconds = 600;
const yearSeconds = 31_536_000;

/**
 * GET /widget.js and what it loads from /widget/: for pages of every origin, without a credential, counted by no limit. /widget/v1/widget.js is
 * the loader for whoever pins the first version of its attributes, methods and events.
 */
export function widgetFiles(): Router {
  let files: Map<string, BuiltFile> | undefined;
  const read = async () => {
    // Asked again while there is none: `npm start` builds it beside the start of the API.
    if (!files || files.size === 0) files = await readBuiltFiles();
    return files;
  };
  const router = Router();
  const serve =
    (pattern: string, nameOf: (req: Request) => string): RequestHandler =>
    async (req, res) => {
      req.routePattern = pattern;
      const all = await read();
      const file = all.get(nameOf(req));
      if (!file) throw all.size === 0 ? problems.pageNotBuilt() : problems.notFound();
      if (req.method !== 'GET' && req.method !== 'HEAD') throw problems.methodNotAllowed(req.method, ['GET', 'HEAD']);
      send(req, res, file);
    };
  router.all(
    ['/widget.js', '/widget/v1/widget.js'],
    serve('/widget.js', () => 'widget.js'),
  );
  router.all(
    '/widget/:file',
    serve('/widget/:file', (req) => String(req.params.file)),
  );
  return router;
}

function send(req: Request, res: Response, { type, etag, isImmutable, bodies }: BuiltFile): void {
  res.vary('Accept-Encoding').set({
    'Content-Type': type,
    ETag: etag,
    'Cache-Control': isImmutable
      ? `public, max-age=${yearSeconds}, immutable`
      : `public, max-age=${loaderSeconds}, stale-while-revalidate=86400`,
    // A module of another origin is fetched with CORS, also by pages that are isolated from other origins.
    'Access-Control-Allow-Origin': '*',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Timing-Allow-Origin': '*',
  });
  if (isKnown(etag, req.get('If-None-Match'))) return void res.status(304).end();
  const wanted = req.acceptsEncodings(['br', 'gzip', 'identity']);
  const encoding = typeof wanted === 'string' && bodies.has(wanted) ? wanted : 'identity';
  if (encoding !== 'identity') res.setHeader('Content-Encoding', encoding);
  res.end(bodies.get(encoding));
}
