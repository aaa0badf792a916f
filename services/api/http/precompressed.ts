import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { RequestHandler } from 'express';

const endings = { br: '.br', gzip: '.gz' } as const;

/** Before express.static of a folder: leads to the compressed file beside the one that is asked for, where the build has made one and the client takes it. */
export const precompressed =
  (folder: string): RequestHandler =>
  (req, res, next) => {
    res.vary('Accept-Encoding');
    const wanted = req.acceptsEncodings(['br', 'gzip', 'identity']);
    const ending = endings[wanted as keyof typeof endings];
    // No folder below it, and nothing but the name of a file.
    if (ending && /^\/[\w.-]+$/.test(req.path) && existsSync(join(folder, `${req.path}${ending}`))) {
      res.type(extname(req.path)).setHeader('Content-Encoding', String(wanted));
      req.url = `${req.path}${ending}`;
    }
    next();
  };
