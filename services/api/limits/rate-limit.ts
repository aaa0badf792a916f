import type { Request, RequestHandler } from 'express';
import { rateLimit, type Store } from 'express-rate-limit';
import { problems } from '../../contract/problems.ts';
import { accessOf } from '../http/agent-access.ts';
import { isWidget, languagesPath } from '../http/client.ts';
import { windowMs } from './window.ts';

/**
 * Counts a key's requests from one address against the agent's budget a minute. What the widget asks on each page that it is on is
 * counted apart, against as large a budget: pages that are read must not use up what conversations need. @throws Problem `rate_limited`
 */
export function agentRateLimit(store: Store): RequestHandler {
  return rateLimit({
    windowMs,
    store,
    limit: (req) => accessOf(req).agent.settings.caps.requestsPerMinute,
    keyGenerator: (req) => {
      const { keyHash, address } = accessOf(req);
      const counted = `${keyHash.toString('base64url')} ${address}`;
      return isWidgetsLook(req) ? `widget ${counted}` : counted;
    },
    identifier: (req) => (isWidgetsLook(req) ? 'widget-per-minute' : 'per-minute'),
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    validate: false,
    handler: refuseForRate,
  });
}

const isWidgetsLook = (req: Request): boolean => req.routePattern === languagesPath && isWidget(req);

/** @throws Problem `rate_limited` */
export function refuseForRate(req: Request): never {
  throw problems.rateLimited(secondsLeft(req));
}

function secondsLeft(req: Request): number {
  const { rateLimit: info } = req as Request & { rateLimit?: { resetTime?: Date } };
  const ms = (info?.resetTime?.getTime() ?? Date.now() + windowMs) - Date.now();
  return Math.max(1, Math.ceil(ms / 1000));
}
