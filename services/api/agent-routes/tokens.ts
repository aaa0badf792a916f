import type { Request, Router } from 'express';
import type { CreateTokenBody } from '../../contract/generated/api.ts';
import { problems } from '../../contract/problems.ts';
import { createSession } from '../../core/channels/request.ts';
import { hashPrefix } from '../../core/sessions/ids.ts';
import { agentRoute } from '../http/agent-route.ts';
import { sayAgentWithin } from '../http/agent-within.ts';
import { callerOf } from '../http/caller.ts';
import { bytesOf, rawBody, readBody, validated } from '../http/json-body.ts';
import { readSignature } from '../http/signed-request.ts';
import { type CreateRouteDeps, counted } from './create-session.ts';

/** POST /api/tokens: a token for clients that manage the room by themselves; behind it is a session like any other. */
export const tokensRoute = (deps: CreateRouteDeps): Router =>
  agentRoute(deps, '/api/tokens', {
    post: [
      rawBody,
      async (req, res) => {
        const signature = await readSignature(deps, req);
        const fields = bytesOf(req).length > 0 ? readBody(req, 'createToken') : fromQuery(req);
        const caller = callerOf(req, { signature, idempotency: undefined });
        const opened = await counted(deps.metrics, createSession(deps, caller, fields, 'token'));
        const { sessionId, token, wsUrl } = opened.connection;
        req.logged.session = hashPrefix(sessionId);
        sayAgentWithin(res, opened);
        res.json({ token, wsUrl });
      },
    ],
  });

/** Only `language` is looked at: other query parameters are not ours to refuse. */
function fromQuery({ query: { language } }: Request): CreateTokenBody {
  if (language === undefined) return {};
  if (typeof language !== 'string') throw problems.invalidRequest('Give the query parameter language once.');
  return validated('createToken', { language });
}
