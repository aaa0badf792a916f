import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Logger } from '../../process/logger.ts';
import type { ApiMetrics } from '../metrics.ts';

declare module 'express-serve-static-core' {
  interface Request {
    /** Named in the answer's X-Request-Id and in every log line about this request. */
    requestId: string;
    /** The route's pattern, never the path itself: paths carry ids. */
    routePattern?: string;
    /** Facts for this request's log line. */
    logged: Record<string, unknown>;
  }
}

/** Gives every request its id, and one log line and one observation when it is over. */
export function requestLog({ log, metrics }: { log: Logger; metrics: ApiMetrics }): RequestHandler {
  return (req, res, next) => {
    const began = performance.now();
    req.requestId = randomUUID();
    req.logged = {};
    res.setHeader('X-Request-Id', req.requestId);
    res.once('close', () => {
      const durationMs = performance.now() - began;
      const route = req.routePattern ?? 'none';
      const status = res.writableFinished ? res.statusCode : 499;
      metrics.requests.observe({ method: metricMethod(req.method), route, status: String(status) }, durationMs / 1000);
      const facts = {
        requestId: req.requestId,
        method: req.method,
        route,
        status,
        durationMs: Math.round(durationMs * 10) / 10,
        ...req.logged,
      };
      if (status === 499) log.info(facts, 'request abandoned by its client');
      else log.info(facts, 'request');
    });
    next();
  };
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'PATCH', 'DELETE']);
/** A caller can invent methods; each would be a time series. */
const metricMethod = (method: string) => (knownMethods.has(method) ? method : 'other');
