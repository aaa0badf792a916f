import { type RequestHandler, Router } from 'express';
import { problems } from '../../contract/problems.ts';
import { readBearer } from '../http/bearer.ts';

const ofTenant = [
  ...['prompts', 'agents', 'sessions', 'numbers', 'outbound-calls', 'calendar-integrations', 'webhook', 'members'],
  ...['audit', 'analytics', 'subscription'],
];

/** What there will be; any other path is unknown, here too, before a credential is looked at. */
const doors = [
  ...['/api/me', '/api/capabilities', '/invitation', '/auth{/*rest}', '/api/tenants{/:tenant}'],
  ...ofTenant.map((name) => `/api/tenants/:tenant/${name}{/*rest}`),
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
