import type { Request, RequestHandler } from 'express';
import { problems } from '../../contract/problems.ts';
import { isAtLeast, type Role } from '../../contract/roles.ts';
import { type Caller, readAccessToken } from '../../core/account/access-token.ts';
import type { Acting } from '../../core/account/acting.ts';
import type { PeopleKeys } from '../../core/account/people-keys.ts';
import type { Rights, RightsCache } from '../../core/account/rights.ts';
import { hashPrefix } from '../../core/sessions/ids.ts';
import type { RefusedKeys } from '../limits/refused-keys.ts';
import { readBearer } from './bearer.ts';
import { clientAddress } from './client-address.ts';

export interface PersonAccess extends Caller, Rights {}

declare module 'express-serve-static-core' {
  interface Request {
    personAccess?: PersonAccess;
  }
}

export interface PersonTokenDeps {
  peopleKeys: PeopleKeys;
  rights: RightsCache;
  refusedKeys: RefusedKeys;
}

/** Lets people who have signed in pass. @throws Problem `invalid_token`, `wrong_credential_type`, `rate_limited` */
export function personToken(deps: PersonTokenDeps): RequestHandler {
  return async (req, _res, next) => {
    const { authorization = '' } = req.headers;
    const look = () => findPerson(deps, authorization);
    req.personAccess = await deps.refusedKeys.admit(clientAddress(req), authorization, look);
    req.logged.person = hashPrefix(req.personAccess.person);
    next();
  };
}

async function findPerson({ peopleKeys, rights }: PersonTokenDeps, authorization: string): Promise<PersonAccess> {
  const { kind } = readBearer(authorization);
  if (kind !== 'none' && kind !== 'user_token') throw problems.agentCredentialOnAccountRoute();
  const token = kind === 'user_token' ? authorization.replace(/^bearer +/i, '').trim() : '';
  const caller = await readAccessToken(peopleKeys, token);
  const found = caller && (await rights.of(caller));
  if (!found) throw problems.invalidToken();
  return { ...caller, ...found };
}

/** Routes that ask for no token still tell an agent that it has come to the wrong door. @throws Problem `wrong_credential_type` */
export const noAgentCredential: RequestHandler = (req, _res, next) => {
  const { kind } = readBearer(req.headers.authorization);
  if (kind !== 'none' && kind !== 'user_token') throw problems.agentCredentialOnAccountRoute();
  next();
};

/** The caller that `personToken` let pass. */
export function personOf(req: Request): PersonAccess {
  if (!req.personAccess) throw new Error('this route asks for its caller without having checked the token');
  return req.personAccess;
}

/** The tenant of the path, in which the caller is a member; to everybody else it does not exist. @throws Problem `tenant_not_found` */
export function tenantOf(req: Request): Acting {
  const tenant = String(req.params.tenant).toLowerCase();
  const { person, roles } = personOf(req);
  const role = roles.get(tenant);
  if (role === undefined) throw problems.tenantNotFound(tenant.slice(0, 100));
  return { tenant, role, person, requestId: req.requestId };
}

/** @throws Problem `tenant_not_found`, `forbidden` */
export const atLeast =
  (least: Role): RequestHandler =>
  (req, _res, next) => {
    if (!isAtLeast(tenantOf(req).role, least)) throw problems.forbidden();
    next();
  };
