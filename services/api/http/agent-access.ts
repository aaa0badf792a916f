import type { Request, RequestHandler } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';
import { problems } from '../../contract/problems.ts';
import type { LiveAgent } from '../../core/agents/live-agent.ts';
import type { KeyCache } from '../../core/credentials/key-cache.ts';
import { readBearer } from './bearer.ts';

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

/** Lets agent keys pass. @throws Problem `invalid_api_key`, `wrong_credential_type`, `agent_disabled` */
export function agentKey(keyCache: KeyCache): RequestHandler {
  return async (req, _res, next) => {
    const bearer = readBearer(req.headers.authorization);
    if (bearer.kind === 'secret') throw problems.secretAsBearer();
    if (bearer.kind === 'user_token') throw problems.userTokenOnAgentRoute();
    if (bearer.kind !== 'key') throw problems.invalidApiKey();
    const found = await keyCache.find(bearer.key);
    if (!found) throw problems.invalidApiKey();
    if (found.agent.closed) throw problems.agentDisabled();
    req.access = { ...found, address: clientAddress(req), origin: req.headers.origin };
    req.logged.agent = found.agent.agent;
    next();
  };
}

/** The caller that `agentKey` let pass. */
export function accessOf(req: Request): AgentAccess {
  if (!req.access) throw new Error('this route asks for its caller without having checked the key');
  return req.access;
}

function clientAddress(req: Request): string {
  try {
    return ipKeyGenerator(req.ip ?? 'unknown', 64);
  } catch {
    // What a proxy wrote is not always an address; it still tells one client from another.
    return req.ip ?? 'unknown';
  }
}

/** Pages may use an agent from the origins that its file lists; without a list from anywhere. @throws Problem `origin_not_allowed` */
export const allowedOrigin: RequestHandler = (req, _res, next) => {
  const { agent, origin } = accessOf(req);
  const { allowedOrigins } = agent.settings;
  if (origin !== undefined && allowedOrigins !== undefined && !allowedOrigins.includes(origin))
    throw problems.originNotAllowed(origin);
  next();
};
