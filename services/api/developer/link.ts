import { Router } from 'express';
import { problems } from '../../contract/problems.ts';
import { signInByLink } from '../../core/account/developer.ts';
import { type AuthDeps, answerSignedIn } from '../account-routes/auth.ts';
import { rawBody, readBody } from '../http/json-body.ts';
import { ownOrigin } from '../http/own-origin.ts';
import { noAgentCredential } from '../http/person-access.ts';
import { thisMachineOnly } from '../http/this-machine-only.ts';

const path = '/auth/link';

/** POST /auth/link: signs in by what `npm start` prints. The image does not have this file (.dockerignore). */
export function developerLink(deps: AuthDeps): Router {
  const router = Router();
  const guards = [thisMachineOnly, noAgentCredential, ownOrigin];
  router.post(path, ...guards, rawBody, async (req, res) => {
    req.routePattern = path;
    answerSignedIn(deps, res, await signInByLink(deps, readBody(req, 'signInByLink').token));
  });
  router.all(path, ...guards, (req) => {
    req.routePattern = path;
    throw problems.methodNotAllowed(req.method, ['POST']);
  });
  return router;
}
