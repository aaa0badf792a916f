import { Router } from 'express';
import type { ApiMetrics } from '../metrics.ts';

/** GET /metrics in Prometheus' text format. */
export function metricsRoute({ registry }: ApiMetrics): Router {
  const router = Router();
  router.get('/metrics', async (_req, res) => {
    const text = await registry.metrics();
    res.set('Content-Type', registry.contentType).end(text);
  });
  return router;
}
