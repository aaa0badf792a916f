import type { RequestHandler, Response } from 'express';
import { problems } from '../../contract/problems.ts';
import { chooseNewPassword, countLetter, sendReset } from '../../core/account/forgotten-password.ts';
import { refresh, type SignedIn, type SignInDeps, signIn, signOut } from '../../core/account/sign-in.ts';
import { acceptInvitation } from '../../core/members/accept-invitation.ts';
import type { HandOverDeps } from '../../core/members/hand-over-invitation.ts';
import { clientAddress } from '../http/client-address.ts';
import { rawBody, readBody } from '../http/json-body.ts';
import { letterLanguageOf } from '../http/letter-language.ts';
import { originSaid } from '../http/own-origin.ts';
import type { RefreshCookie } from '../http/refresh-cookie.ts';
import type { Handlers } from './handlers.ts';
import { type OpenIdConnectRouteDeps, takesPasswords } from './open-id-connect.ts';

export interface AuthDeps extends SignInDeps, HandOverDeps, Pick<OpenIdConnectRouteDeps, 'openIdConnect'> {
  cookie: RefreshCookie;
}

type Auth =
  | `POST /auth/${'forgotten' | 'reset'}-password`
  | 'GET /auth/ways'
  | 'POST /auth/sign-in'
  | 'POST /auth/refresh'
  | 'POST /auth/sign-out'
  | 'POST /invitation';

export const authRoutes = (deps: AuthDeps): Handlers<Auth> => ({
  'GET /auth/ways': [
    (_req, res) => {
      const { openIdConnect } = deps;
      res.json({
        password: takesPasswords(deps),
        openIdConnect: openIdConnect ? { name: openIdConnect.name } : null,
        resetByMail: takesPasswords(deps) && deps.post !== undefined,
      });
    },
  ],
  'POST /auth/sign-in': [
    byPassword(deps),
    rawBody,
    async (req, res) => {
      const given = readBody(req, 'signIn');
      answerSignedIn(deps, res, await signIn(deps, { ...given, address: clientAddress(req) }));
    },
  ],
  'POST /auth/refresh': [originSaid, refreshed(deps)],
  'POST /auth/sign-out': [
    originSaid,
    async (req, res) => {
      await signOut(deps, deps.cookie.read(req));
      deps.cookie.clear(res);
      res.status(204).end();
    },
  ],
  'POST /auth/forgotten-password': [
    byPassword(deps),
    rawBody,
    async (req, res) => {
      const { post } = deps;
      if (!post) throw problems.noMail();
      const { email } = readBody(req, 'forgottenPassword');
      await countLetter(deps.people, { email, address: clientAddress(req) });
      res.status(202).json({});
      await sendReset({ ...deps, post }, email, letterLanguageOf(req)).catch((err) =>
        deps.log.warn({ err }, 'a letter was not mailed'),
      );
    },
  ],
  'POST /auth/reset-password': [
    byPassword(deps),
    rawBody,
    async (req, res) => answerSignedIn(deps, res, await chooseNewPassword(deps, readBody(req, 'resetPassword'))),
  ],
  'POST /invitation': [
    byPassword(deps),
    rawBody,
    async (req, res) => {
      const given = readBody(req, 'acceptInvitation');
      answerSignedIn(
        deps,
        res,
        await acceptInvitation(deps, { ...given, address: clientAddress(req), requestId: req.requestId }),
      );
    },
  ],
});

/** Refuses what is done with a password where the identity provider is the only way in. */
const byPassword =
  ({ openIdConnect }: AuthDeps): RequestHandler =>
  (_req, _res, next) => {
    if (openIdConnect && !takesPasswords({ openIdConnect })) throw problems.noPasswords(openIdConnect.name);
    next();
  };

const refreshed =
  (deps: AuthDeps): RequestHandler =>
  async (req, res) => {
    const token = deps.cookie.read(req);
    if (token === undefined) throw problems.invalidToken();
    answerSignedIn(deps, res, await refresh(deps, token));
  };

/** The refresh token goes into the cookie only, where no script of a page can read it. */
export function answerSignedIn({ cookie }: AuthDeps, res: Response, { refreshToken, ...shown }: SignedIn): void {
  cookie.write(res, refreshToken);
  res.json(shown);
}
