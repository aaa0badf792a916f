import { Router } from 'express';
import { problems } from '../../contract/problems.ts';
import type { Clock } from '../../process/clock.ts';
import type { HealthCheck } from '../health.ts';
import { clientAddress } from './client-address.ts';
import { problemBody } from './render-problem.ts';

const allowed = ['GET', 'HEAD'];

/** GET /health: for uptime monitoring, without a credential. */
export function healthRoute({ health, clock }: { health: HealthCheck; clock: Clock }): Router {
  const router = Router();
  const route = router.route('/health');
  route.all((req, _res, next) => {
    req.routePattern = '/health';
    next();
  });
  route.options(
    (_req, res) =>
      void res
        .status(204)
        .set('Allow', [...allowed, 'OPTIONS'].join(', '))
        .end(),
  );
  route.get(async (req, res) => {
    // Whoever runs it sees whether proxies pass clients' addresses on, by which limits tell them apart (parley doctor).
    res.set('X-Seen-Address', clientAddress(req));
    const missing = await health.missing();
    const timestamp = clock.now().toISOString();
    if (missing.length === 0 && !health.isFull()) return void res.json({ status: 'ok', timestamp });
    const problem =
      missing.length > 0 ? problems.unavailable(sentenceStart(missing.join(' and '))) : problems.databaseFull();
    res
      .status(problem.status)
      .set(problem.headers)
      .json({ status: 'degraded', timestamp, ...problemBody(problem) });
  });
  route.all((req) => {
    throw problems.methodNotAllowed(req.method, allowed);
  });
  return router;
}

const sentenceStart = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
