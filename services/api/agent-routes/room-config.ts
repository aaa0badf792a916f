import type { Router } from 'express';
import { describeRoom } from '../../core/sessions/read.ts';
import type { Database } from '../../store/database.ts';
import { accessOf } from '../http/agent-access.ts';
import { type AgentRouteDeps, agentRoute } from '../http/agent-route.ts';
import { roomNameFrom } from '../http/public-ids.ts';

/** GET /api/sessions/config/:roomName: what a room is about. Never the prompt, the knowledge or the tools: this key is public. */
export const roomConfigRoute = (deps: AgentRouteDeps & { db: Database }): Router =>
  agentRoute(deps, '/api/sessions/config/:roomName', {
    get: [
      async (req, res) => {
        const { agent, origin } = accessOf(req);
        res.json(
          await describeRoom(deps.db, agent, roomNameFrom(req.params.roomName), { browser: origin !== undefined }),
        );
      },
    ],
  });
