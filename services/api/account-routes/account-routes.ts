import { type RequestHandler, Router } from 'express';
import { problems } from '../../contract/problems.ts';
import { type AccountRoute, accountRoutes, nameOf, plannedRoutes } from '../../core/account/routes.ts';
import { planned } from '../../core/insight/capabilities.ts';
import { ownOrigin } from '../http/own-origin.ts';
import { atLeast, noAgentCredential, type PersonTokenDeps, personToken, tenantOf } from '../http/person-access.ts';
import { type AnalyticsRouteDeps, analyticsRoutes } from './analytics.ts';
import { type AuditRouteDeps, auditRoutes } from './audit.ts';
import { type AuthDeps, authRoutes } from './auth.ts';
import { type ChangesRouteDeps, changeRoutes } from './changes.ts';
import { type CredentialRouteDeps, credentialRoutes } from './credentials.ts';
import { type ExportDeps, exportRoutes } from './exports.ts';
import type { Handlers } from './handlers.ts';
import { type LiveDeps, liveRoutes } from './live.ts';
import { type MeRouteDeps, meRoutes } from './me.ts';
import { type MembersRouteDeps, memberRoutes } from './members.ts';
import { type OpenIdConnectRouteDeps, openIdConnectRoutes } from './open-id-connect.ts';
import { type PromptsRouteDeps, promptRoutes } from './prompts.ts';
import { type ServiceHealthRouteDeps, serviceHealthRoutes } from './service-health.ts';
import { type SessionActionDeps, sessionActions } from './session-actions.ts';
import { type SessionsRouteDeps, sessionRoutes } from './sessions.ts';
import { type TelephonyRouteDeps, telephonyRoutes } from './telephony.ts';
import { type WebhookRouteDeps, webhookRoutes } from './webhook.ts';

export interface AccountDeps
  extends PersonTokenDeps,
    AuthDeps,
    OpenIdConnectRouteDeps,
    MeRouteDeps,
    ServiceHealthRouteDeps,
    MembersRouteDeps,
    SessionsRouteDeps,
    SessionActionDeps,
    AnalyticsRouteDeps,
    ExportDeps,
    LiveDeps,
    PromptsRouteDeps,
    ChangesRouteDeps,
    WebhookRouteDeps,
    CredentialRouteDeps,
    TelephonyRouteDeps,
    AuditRouteDeps {
  personRateLimit: RequestHandler;
}

/**
 * The account API, for people, from its table (core/account/routes.ts). The order of checks is the contract's: the path is known, then the
 * credential, the rate, the origin and the method; then the tenant and the role in it. Bodies are the handlers' own.
 */
export function accountApi(deps: AccountDeps): Router {
  const handlers: Handlers = {
    ...authRoutes(deps),
    ...openIdConnectRoutes(deps),
    ...meRoutes(deps),
    ...serviceHealthRoutes(deps),
    ...memberRoutes(deps),
    ...sessionRoutes(deps),
    ...sessionActions(deps),
    ...analyticsRoutes(deps),
    ...exportRoutes(deps),
    ...liveRoutes(deps),
    ...promptRoutes(deps),
    ...changeRoutes(deps),
    ...webhookRoutes(deps),
    ...credentialRoutes(deps),
    ...auditRoutes(deps),
    ...telephonyRoutes(deps),
  };
  const router = Router();
  const guards = { person: personToken(deps), anybody: noAgentCredential };
  for (const [path, routes] of Map.groupBy<string, AccountRoute>(accountRoutes, ({ path }) => path)) {
    const [{ who } = { who: 'person' }] = routes;
    const guard = who === 'anybody' ? guards.anybody : guards.person;
    const route = router.route(path).all(named(path)).options(answerOptions(routes));
    route.all(guard, deps.personRateLimit, ownOrigin, knownMethod(routes));
    for (const one of routes) {
      const inTenant = one.who === 'anybody' || one.who === 'person' ? [] : [atLeast(one.who)];
      route[verbs[one.method]](...inTenant, ...handlers[nameOf(one)]);
    }
  }
  const known = [named('account'), guards.person, deps.personRateLimit, ownOrigin];
  for (const { path, capability } of plannedRoutes) router.all(path, ...known, notConfigured(capability));
  return router;
}

const verbs = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const;

const named =
  (path: string): RequestHandler =>
  (req, _res, next) => {
    req.routePattern = path;
    next();
  };

const methodsOf = (routes: readonly AccountRoute[]): string[] =>
  routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));

const answerOptions =
  (routes: readonly AccountRoute[]): RequestHandler =>
  (_req, res) =>
    void res
      .status(204)
      .set('Allow', [...methodsOf(routes), 'OPTIONS'].join(', '))
      .end();

const knownMethod = (routes: readonly AccountRoute[]): RequestHandler => {
  const allowed = methodsOf(routes);
  return (req, _res, next) => {
    if (!allowed.includes(req.method)) throw problems.methodNotAllowed(req.method, allowed);
    next();
  };
};

/** Says what `GET /api/capabilities` says of it. @throws Problem `tenant_not_found`, `not_configured` */
const notConfigured =
  (capability: keyof typeof planned): RequestHandler =>
  (req) => {
    tenantOf(req);
    throw problems.notConfigured(planned[capability].how ?? '');
  };
