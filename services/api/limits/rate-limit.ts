import type { Request, RequestHandler } from 'express';
import { rateLimit, type Store } from 'express-rate-limit';
import { problems } from '../../contract/problems.ts';
import { accessOf } from '../http/agent-access.ts';

export const windowMs = 60_000;

/** Counts a key's requests from one address against the agent's budget a minute. @throws Problem `rate_limited` */
export function agentRateLimit(store: Store): RequestHandler {
  return rateLimit({
    windowMs,
    store,
    limit: (req) => accessOf(req).agent.settings.caps.requestsPerMinute,
    keyGenerator: (req) => {
      const { keyHash, address } = accessOf(req);
      return `${keyHash.toString('base64url')} ${address}`;
    },
    identifier: 'per-minute',
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    validate: false,
    handler: refuseForRate,
  });
}

/** @throws Problem `rate_limited` */
export function refuseForRate(req: Request): never {
  throw problems.rateLimited(secondsLeft(req));
}

function secondsLeft(req: Request): number {
  const { rateLimit: info } = req as Request & { rateLimit?: { resetTime?: Date } };
  const ms = (info?.resetTime?.getTime() ?? Date.now() + windowMs) - Date.now();
  return Math.max(1, Math.ceil(ms / 1000));
}
