import type { Router } from 'express';
import { hashPrefix } from '../../core/sessions/ids.ts';
import { type ReadDeps, reconnect } from '../../core/sessions/read.ts';
import { accessOf } from '../http/agent-access.ts';
import { type AgentRouteDeps, agentRoute } from '../http/agent-route.ts';
import { sayAgentWithin } from '../http/agent-within.ts';
import { sessionIdFrom } from '../http/public-ids.ts';

/** GET /api/sessions/:sessionId: fresh credentials for a client that comes back to its conversation. */
export const readSessionRoute = (deps: AgentRouteDeps & ReadDeps): Router =>
  agentRoute(deps, '/api/sessions/:sessionId', {
    get: [
      async (req, res) => {
        const id = sessionIdFrom(req.params.sessionId);
        req.logged.session = hashPrefix(id);
        const opened = await reconnect(deps, accessOf(req).agent, id);
        sayAgentWithin(res, opened);
        res.json(opened.connection);
      },
    ],
  });
