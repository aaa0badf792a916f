import { type RequestHandler, Router } from 'express';
import { problems } from '../../contract/problems.ts';
import { type AgentKeyDeps, agentKey, allowedOrigin } from './agent-access.ts';

export interface AgentRouteDeps extends AgentKeyDeps {
  rateLimit: RequestHandler;
}

type Methods = { get: RequestHandler[] } | { post: RequestHandler[] };

/**
 * One address of the agent-key surface. The order of checks is the contract's: the path is known, then the credential (and
 * what goes with it: rate limit, origin), then the method; bodies are the handlers' own. OPTIONS needs no credential.
 */
export function agentRoute(deps: AgentRouteDeps, path: string, methods: Methods): Router {
  const router = Router();
  const allowed = 'get' in methods ? ['GET', 'HEAD'] : ['POST'];
  const named: RequestHandler = (req, _res, next) => {
    req.routePattern = path;
    next();
  };
  const guards = [agentKey(deps), deps.rateLimit, allowedOrigin];
  const refuseMethod: RequestHandler = (req) => {
    throw problems.methodNotAllowed(req.method, allowed);
  };
  const route = router.route(path).all(named).options(answerOptions(allowed)).all(guards);
  if ('get' in methods) route.get(methods.get);
  else route.post(methods.post);
  route.all(refuseMethod);
  return router;
}

/** Preflights are answered for any origin: the answer to the request itself says what is allowed. */
const answerOptions =
  (allowed: readonly string[]): RequestHandler =>
  (_req, res) => {
    res
      .status(204)
      .set('Allow', [...allowed, 'OPTIONS'].join(', '))
      .end();
  };
