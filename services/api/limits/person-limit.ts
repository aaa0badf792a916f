import type { RequestHandler } from 'express';
import { rateLimit, type Store } from 'express-rate-limit';
import { clientAddress } from '../http/client-address.ts';
import { refuseForRate } from './rate-limit.ts';
import { windowMs } from './window.ts';

const requestsPerMinute = 180;

/** Counts a person's requests, or those of an address where nobody has signed in yet. @throws Problem `rate_limited` */
export function personRateLimit(store: Pick<Store, 'increment' | 'decrement' | 'resetKey'>): RequestHandler {
  return rateLimit({
    windowMs,
    // The agents' limit has set it up; it counts by key, and these are others.
    store: {
      localKeys: false,
      increment: (key) => store.increment(key),
      decrement: (key) => store.decrement(key),
      resetKey: (key) => store.resetKey(key),
    },
    limit: requestsPerMinute,
    keyGenerator: (req) => (req.personAccess ? `person ${req.personAccess.person}` : `nobody ${clientAddress(req)}`),
    identifier: 'per-minute',
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    validate: false,
    handler: refuseForRate,
  });
}
