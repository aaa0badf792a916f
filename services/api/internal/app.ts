import express, { type Express } from 'express';
import type { Logger } from '../../process/logger.ts';
import { notFound, renderProblem } from '../http/render-problem.ts';
import { requestLog } from '../http/request-log.ts';
import type { ApiMetrics } from '../metrics.ts';
import { type RoomEventDeps, roomEventsRoute } from './room-events.ts';
import { scalingRoute } from './scaling.ts';

export interface InternalAppDeps extends RoomEventDeps {
  log: Logger;
  metrics: ApiMetrics;
}

/** What the internal port answers beside the probes: it is never reachable from outside. */
export function makeInternalApp(deps: InternalAppDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(requestLog(deps));
  app.use(roomEventsRoute(deps), scalingRoute(deps));
  app.use(notFound);
  app.use(renderProblem(deps.log));
  return app;
}
