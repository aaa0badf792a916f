import cors from 'cors';
import type { RequestHandler } from 'express';
import { agentWithinHeader } from './agent-within.ts';

const maxAgeSeconds = 86_400;

/** Any page may ask; what an agent allows is decided with its key, and the refusal must be readable for the page too. */
export const agentCors: RequestHandler = cors({
  origin: true,
  methods: ['GET', 'HEAD', 'POST'],
  exposedHeaders: ['X-Request-Id', agentWithinHeader, 'Retry-After', 'RateLimit', 'RateLimit-Policy', 'ETag', 'Allow'],
  maxAge: maxAgeSeconds,
  // A preflight of an unknown path is a 404 like any other request there.
  preflightContinue: true,
});
