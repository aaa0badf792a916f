import type { Request, RequestHandler } from 'express';
import { problems } from '../../contract/problems.ts';
import type { LiveAgent } from '../../core/agents/live-agent.ts';
import type { KeyCache, KeyOwner } from '../../core/credentials/key-cache.ts';
import type { RefusedKeys } from '../limits/refused-keys.ts';
import { type Bearer, readBearer } from './bearer.ts';
import { clientAddress } from './client-address.ts';
import { isOwn } from './own-origin.ts';

/** Who calls: an agent's key, from an address, perhaps from a page. */
export interface AgentAccess {
  agent: LiveAgent;
  keyHash: Buffer;
  /** IPv4 address, or the /64 of an IPv6 one: a home or a server has a whole one. */
  address: string;
  /** Given by browsers only. */
  origin: string | undefined;
}

declare module 'express-serve-static-core' {
  interface Request {
    access?: AgentAccess;
  }
}

export interface AgentKeyDeps {
  keyCache: KeyCache;
  refusedKeys: RefusedKeys;
}

/**
 * Lets agent keys pass. An address with many that are refused is not listened to for the rest of the minute; keys that were good when
 * they were looked at last pass all the same.
 * @throws Problem `invalid_api_key`, `wrong_credential_type`, `agent_disabled`, `rate_limited`
 */
export function agentKey({ keyCache, refusedKeys }: AgentKeyDeps): RequestHandler {
  return async (req, _res, next) => {
    const bearer = readBearer(req.headers.authorization);
    const address = clientAddress(req);
    const find = () => findOwner(keyCache, bearer);
    const key = bearer.kind === 'key' ? bearer.key : '';
    const found = keyCache.wasGood(key) ? await find() : await refusedKeys.admit(address, key, find);
    if (found.agent.closed) throw problems.agentDisabled();
    req.access = { ...found, address, origin: req.headers.origin };
    req.logged.agent = found.agent.agent;
    next();
  };
}

async function findOwner(keyCache: KeyCache, bearer: Bearer): Promise<KeyOwner> {
  if (bearer.kind === 'secret') throw problems.secretAsBearer();
  if (bearer.kind === 'user_token') throw problems.userTokenOnAgentRoute();
  const found = bearer.kind === 'key' ? await keyCache.find(bearer.key) : undefined;
  if (!found) throw problems.invalidApiKey();
  return found;
}

/** The caller that `agentKey` let pass. */
export function accessOf(req: Request): AgentAccess {
  if (!req.access) throw new Error('this route asks for its caller without having checked the key');
  return req.access;
}

/** Pages may use an agent from the origins that its file lists, and our own; without a list from anywhere. @throws Problem `origin_not_allowed` */
export const allowedOrigin: RequestHandler = (req, _res, next) => {
  const { agent, origin } = accessOf(req);
  const { allowedOrigins } = agent.settings;
  if (origin === undefined || allowedOrigins === undefined || allowedOrigins.includes(origin)) return next();
  if (!isOwn(req, origin)) throw problems.originNotAllowed(origin);
  next();
};
