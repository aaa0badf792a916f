import type { Router } from 'express';
import { Problem } from '../../contract/problems.ts';
import { type CreateDeps, createSession } from '../../core/channels/request.ts';
import type { Opened } from '../../core/sessions/connect.ts';
import { hashPrefix } from '../../core/sessions/ids.ts';
import { type AgentRouteDeps, agentRoute } from '../http/agent-route.ts';
import { sayAgentWithin } from '../http/agent-within.ts';
import { callerOf, idempotencyOf } from '../http/caller.ts';
import { rawBody, readBody } from '../http/json-body.ts';
import { readSignature, type SignatureDeps } from '../http/signed-request.ts';
import type { ApiMetrics } from '../metrics.ts';

export interface CreateRouteDeps extends AgentRouteDeps, CreateDeps, SignatureDeps {
  metrics: ApiMetrics;
}

const path = '/api/sessions';

/** POST /api/sessions: a conversation, and what it takes to join its room. */
export const createSessionRoute = (deps: CreateRouteDeps): Router =>
  agentRoute(deps, path, {
    post: [
      rawBody,
      async (req, res) => {
        const signature = await readSignature(deps, req);
        const fields = readBody(req, 'createSession');
        const repeated = { route: `POST ${path}`, fields, isSigned: signature !== undefined };
        const idempotency = idempotencyOf(req, repeated);
        const caller = callerOf(req, { signature, idempotency });
        const opened = await counted(deps.metrics, createSession(deps, caller, fields));
        req.logged.session = hashPrefix(opened.connection.sessionId);
        sayAgentWithin(res, opened);
        res.json(opened.connection);
      },
    ],
  });

/** Counts what came of asking for a session. */
export async function counted({ sessions }: ApiMetrics, asked: Promise<Opened>): Promise<Opened> {
  try {
    const opened = await asked;
    sessions.inc({ result: opened.agentWithinSeconds === undefined ? 'connected' : 'waiting' });
    return opened;
  } catch (error) {
    sessions.inc({ result: error instanceof Problem ? error.code : 'failed' });
    throw error;
  }
}
