import { type RequestHandler, Router } from 'express';
import { problems } from '../../contract/problems.ts';
import { readBearer } from '../http/bearer.ts';

const doors = [
  '/api/tenants',
  '/api/tenants/*rest',
  '/api/me',
  '/api/me/*rest',
  '/api/capabilities',
  '/auth',
  '/auth/*rest',
];

/** The account API is for people and is not there yet; its doors already tell an agent's credential from a person's. */
export function accountDoors(): Router {
  const router = Router();
  const refuse: RequestHandler = (req) => {
    req.routePattern = 'account';
    const { kind } = readBearer(req.headers.authorization);
    throw kind === 'none' || kind === 'user_token' ? problems.invalidToken() : problems.agentCredentialOnAccountRoute();
  };
  router.all(doors, refuse);
  return router;
}
