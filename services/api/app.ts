import express, { type Express, type RequestHandler } from 'express';
import type { Logger } from '../process/logger.ts';
import { type AccountDeps, accountApi } from './account-routes/account-routes.ts';
import { closedDoors } from './account-routes/closed-doors.ts';
import { type CreateRouteDeps, createSessionRoute } from './agent-routes/create-session.ts';
import { endSessionRoute } from './agent-routes/end-session.ts';
import { languagesRoute } from './agent-routes/languages.ts';
import { readSessionRoute } from './agent-routes/read-session.ts';
import { roomConfigRoute } from './agent-routes/room-config.ts';
import { tokensRoute } from './agent-routes/tokens.ts';
import { transcriptionRoute } from './agent-routes/transcription.ts';
import type { HealthCheck } from './health.ts';
import { agentCors } from './http/cors.ts';
import { healthRoute } from './http/health.ts';
import { notFound, renderProblem } from './http/render-problem.ts';
import { requestLog } from './http/request-log.ts';
import { dataHeaders } from './http/security-headers.ts';
import { widgetFiles } from './widget/routes.ts';

export interface AppDeps extends CreateRouteDeps {
  health: HealthCheck;
  log: Logger;
  trustProxyHops: number;
  /** The page at /try; absent in production, where nothing is there. */
  tryPage?: RequestHandler;
  /** Signs a developer in by a link; absent in production. */
  developerLink?: RequestHandler;
  /** The pages at `/`; absent where nobody can sign in. */
  dashboard?: RequestHandler;
  /** The account API; absent where there are no keys for people, and nobody can sign in. */
  account?: AccountDeps;
}

/** The public port. */
export function makeApp(deps: AppDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  // Answers carry tokens and are never the same twice; the one that may be cached makes its own.
  app.disable('etag');
  app.set('trust proxy', deps.trustProxyHops);
  app.use(requestLog(deps), ...dataHeaders);
  app.use(widgetFiles());
  if (deps.tryPage) app.use('/try', deps.tryPage);
  if (deps.developerLink) app.use(deps.developerLink);
  if (deps.dashboard) app.use(deps.dashboard);
  app.use(deps.account ? accountApi(deps.account) : closedDoors());
  app.use(agentCors);
  app.use(healthRoute(deps));
  for (const route of agentRoutes(deps)) app.use(route);
  app.use(notFound);
  app.use(renderProblem(deps.log));
  return app;
}

/** Fixed words before the places where an id may stand: `languages` is no session. */
const agentRoutes = (deps: CreateRouteDeps) => [
  createSessionRoute(deps),
  languagesRoute(deps),
  transcriptionRoute(deps),
  roomConfigRoute(deps),
  readSessionRoute(deps),
  endSessionRoute(deps),
  tokensRoute(deps),
];
