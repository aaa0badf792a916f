import { Router } from 'express';

/** Where this process is between its start and its end. */
export interface Lifecycle {
  state: 'starting' | 'serving' | 'stopping';
}

/** /livez checks nothing; /readyz only this process itself, so that an outage of the database never empties the load balancer. */
export function probes(lifecycle: Lifecycle): Router {
  const router = Router();
  router.get('/livez', (_req, res) => void res.json({ status: 'ok' }));
  router.get('/readyz', (_req, res) => {
    const ready = lifecycle.state === 'serving';
    if (ready) return void res.json({ status: 'ok' });
    res
      .status(503)
      .json({ status: lifecycle.state, message: `This process is ${lifecycle.state}.`, code: 'unavailable' });
  });
  return router;
}
