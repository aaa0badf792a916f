import { type RequestHandler, Router } from 'express';
import { problems } from '../../contract/problems.ts';
import { accountRoutes, plannedPaths } from '../../core/account/routes.ts';
import { readBearer } from '../http/bearer.ts';

const doors = [
  ...new Set([...accountRoutes.map(({ path }) => path), ...plannedPaths]),
  '/auth{/*rest}',
  '/api/tenants',
];

/** The account API where nobody can sign in, for want of keys: its doors still tell an agent's credential from a person's. */
export function closedDoors(): Router {
  const router = Router();
  const refuse: RequestHandler = (req) => {
    req.routePattern = 'account';
    const { kind } = readBearer(req.headers.authorization);
    throw kind === 'none' || kind === 'user_token' ? problems.invalidToken() : problems.agentCredentialOnAccountRoute();
  };
  router.all(doors, refuse);
  return router;
}
