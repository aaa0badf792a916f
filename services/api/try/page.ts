import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import express, { type RequestHandler, Router } from 'express';
import { problems } from '../../contract/problems.ts';
import { pageHeaders } from '../http/security-headers.ts';
import { thisMachineOnly } from '../http/this-machine-only.ts';
import { type TryDeps, tryRoutes } from './routes.ts';
import { samplePage } from './sample.ts';

const builtPage = fileURLToPath(new URL('../../web/try/dist/', import.meta.url));

/** GET /try and what the page needs; for development on this machine only, because it hands out keys and conversations. */
export function tryPage(deps: TryDeps & { publicUrl: string }): RequestHandler {
  const router = Router();
  router.use((req, _res, next) => {
    req.routePattern = '/try';
    next();
  });
  router.use(thisMachineOnly);
  router.use('/api', tryRoutes(deps));
  router.use(samplePage(deps));
  router.use(pageHeaders(deps.publicUrl), express.static(builtPage, { index: 'index.html', redirect: true }));
  router.get('/', () => {
    throw existsSync(builtPage) ? problems.notFound() : problems.pageNotBuilt();
  });
  return router;
}
