import type { Router } from 'express';
import { problems } from '../../contract/problems.ts';
import { type EndDeps, endSession, readOwnSession } from '../../core/sessions/end.ts';
import { hashPrefix } from '../../core/sessions/ids.ts';
import { accessOf } from '../http/agent-access.ts';
import { type AgentRouteDeps, agentRoute } from '../http/agent-route.ts';
import { sessionIdFrom } from '../http/public-ids.ts';

/** POST /api/sessions/:sessionId/end: the conversation is over; asking again gives the same answer. */
export const endSessionRoute = (deps: AgentRouteDeps & EndDeps): Router =>
  agentRoute(deps, '/api/sessions/:sessionId/end', {
    post: [
      async (req, res) => {
        const id = sessionIdFrom(req.params.sessionId);
        const { agent } = accessOf(req);
        req.logged.session = hashPrefix(id);
        if (!(await readOwnSession(deps.db, agent, id))) throw problems.sessionNotFound();
        const ended = await endSession(deps, {
          tenant: agent.tenant,
          session: id,
          reason: 'client_ended',
          source: 'api',
        });
        if (!ended) throw problems.sessionNotFound();
        res.json(ended);
      },
    ],
  });
