import type { Request, RequestHandler } from 'express';
import { Problem, problems } from '../../contract/problems.ts';
import { comeBack, leave, type OpenIdConnectDeps } from '../../core/account/open-id-connect/sign-in.ts';
import type { DepartureCookie } from '../http/departure-cookie.ts';
import { rawBody, readBody } from '../http/json-body.ts';
import type { RefreshCookie } from '../http/refresh-cookie.ts';
import type { Handlers } from './handlers.ts';

export interface OpenIdConnectRouteDeps {
  cookie: RefreshCookie;
  departure: DepartureCookie;
  /** Undefined where there is no identity provider. */
  openIdConnect: (OpenIdConnectDeps & { name: string }) | undefined;
}

type OpenIdConnect = 'POST /auth/oidc' | 'GET /auth/oidc/callback';

export const openIdConnectRoutes = (deps: OpenIdConnectRouteDeps): Handlers<OpenIdConnect> => ({
  'POST /auth/oidc': [
    rawBody,
    async (req, res) => {
      const { invitation, to = '/' } = readBody(req, 'leaveToSignIn');
      const { location, ticket } = await leave(configured(deps), { invitation, destination: to });
      deps.departure.write(res, ticket);
      res.json({ location });
    },
  ],
  'GET /auth/oidc/callback': [cameBack(deps)],
});

const cameBack =
  (deps: OpenIdConnectRouteDeps): RequestHandler =>
  async (req, res) => {
    const ticket = deps.departure.take(req, res);
    try {
      const { refreshToken, destination } = await comeBack(configured(deps), {
        ticket,
        query: queryOf(req),
        requestId: req.requestId,
      });
      deps.cookie.write(res, refreshToken);
      res.redirect(303, destination);
    } catch (error) {
      // A person stands in front of it, not a program: the page says it in their language.
      if (!(error instanceof Problem)) throw error;
      Object.assign(req.logged, error.logged, { refused: error.code });
      res.redirect(303, `/sign-in#error=${error.code}`);
    }
  };

/** With the question mark. */
const queryOf = ({ originalUrl }: Request): string => {
  const start = originalUrl.indexOf('?');
  return start < 0 ? '' : originalUrl.slice(start);
};

function configured({ openIdConnect }: OpenIdConnectRouteDeps) {
  if (!openIdConnect) throw problems.noIdentityProvider();
  return openIdConnect;
}
