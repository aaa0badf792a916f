import type { Request, RequestHandler } from 'express';
import { Problem, problems } from '../../contract/problems.ts';
import {
  hasLeftToLink,
  type IdentityChange,
  linkIdentity,
  mayLink,
  shownIdentities,
  unlinkIdentity,
  type WaysIn,
} from '../../core/account/open-id-connect/identities.ts';
import { comeBack, leave, type OpenIdConnectDeps } from '../../core/account/open-id-connect/sign-in.ts';
import { identityLetter } from '../../core/mail/letters.ts';
import type { HandOverDeps } from '../../core/members/hand-over-invitation.ts';
import { clientAddress } from '../http/client-address.ts';
import type { DepartureCookie } from '../http/departure-cookie.ts';
import { rawBody, readBody } from '../http/json-body.ts';
import { letterLanguageOf } from '../http/letter-language.ts';
import { personOf } from '../http/person-access.ts';
import type { RefreshCookie } from '../http/refresh-cookie.ts';
import type { Handlers } from './handlers.ts';

export interface OpenIdConnectRouteDeps extends HandOverDeps {
  cookie: RefreshCookie;
  departure: DepartureCookie;
  /** Undefined where there is no identity provider. */
  openIdConnect: (OpenIdConnectDeps & { name: string; passwords: 'accepted' | 'refused' }) | undefined;
}

/** Whether people may sign in by a password, too. */
export const takesPasswords = ({ openIdConnect }: Pick<OpenIdConnectRouteDeps, 'openIdConnect'>): boolean =>
  openIdConnect?.passwords !== 'refused';

type OpenIdConnect =
  | 'POST /auth/oidc'
  | 'GET /auth/oidc/callback'
  | 'POST /auth/oidc/link'
  | `${'GET' | 'POST'} /api/me/identities`
  | 'DELETE /api/me/identities/:identity';

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
  'POST /auth/oidc/link': [
    rawBody,
    async (req, res) => {
      const { query } = readBody(req, 'finishLink');
      const back = { ticket: deps.departure.take(req, res), query };
      const linked = await linkIdentity(configured(deps), { ...personOf(req), requestId: req.requestId }, back);
      res.status(204).end();
      await tellPerson(deps, req, linked);
    },
  ],
  'GET /api/me/identities': [
    async (req, res) => {
      res.json(await shownIdentities(deps.people, personOf(req).person, waysIn(deps)));
    },
  ],
  'POST /api/me/identities': [
    rawBody,
    async (req, res) => {
      const { password } = readBody(req, 'linkIdentity');
      const { person, signIn } = personOf(req);
      const provider = configured(deps);
      await mayLink(provider, { person, password, address: clientAddress(req) }, waysIn(deps));
      const leaving = { invitation: undefined, destination: accountPage, linking: signIn };
      const { location, ticket } = await leave(provider, leaving);
      deps.departure.write(res, ticket);
      res.json({ location });
    },
  ],
  'DELETE /api/me/identities/:identity': [
    async (req, res) => {
      const identity = String(req.params.identity).toLowerCase();
      if (!uuid.test(identity)) throw problems.identityNotFound();
      const { person, signIn } = personOf(req);
      const given = { person, signIn, identity, requestId: req.requestId };
      const unlinked = await unlinkIdentity(deps.people, given, waysIn(deps));
      res.status(204).end();
      await tellPerson(deps, req, unlinked);
    },
  ],
});

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The page of the dashboard where people see what lets them in. */
const accountPage = '/account';

const waysIn = (deps: OpenIdConnectRouteDeps): WaysIn => ({
  takesPasswords: takesPasswords(deps),
  issuer: deps.openIdConnect?.issuer.issuer,
});

/** They have their answer already: a letter that is not taken changes nothing of what was done. */
async function tellPerson(
  { post, log }: OpenIdConnectRouteDeps,
  req: Request,
  change: IdentityChange | undefined,
): Promise<void> {
  if (!change || !post) return;
  const letter = identityLetter(letterLanguageOf(req), { ...change, link: post.publicUrl + accountPage });
  await post.mailer.send(letter).catch((err) => log.warn({ err }, 'a letter was not mailed'));
}

const cameBack =
  (deps: OpenIdConnectRouteDeps): RequestHandler =>
  async (req, res) => {
    // The page finishes it, by its access token: the cookie of the sign-in does not come along from another site's page.
    if (await hasLeftToLink(deps.people, deps.departure.read(req)))
      return res.redirect(303, `${accountPage}#link${queryOf(req)}`);
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
