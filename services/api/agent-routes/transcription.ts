import type { Router } from 'express';
import { addTranscriptLine } from '../../core/sessions/transcribe.ts';
import type { Clock } from '../../process/clock.ts';
import type { Database } from '../../store/database.ts';
import { accessOf } from '../http/agent-access.ts';
import { type AgentRouteDeps, agentRoute } from '../http/agent-route.ts';
import { rawBody, readBody } from '../http/json-body.ts';

/** POST /api/sessions/transcription: a line that a client rendered by itself is kept. */
export const transcriptionRoute = (deps: AgentRouteDeps & { db: Database; clock: Clock }): Router =>
  agentRoute(deps, '/api/sessions/transcription', {
    post: [
      rawBody,
      async (req, res) => {
        res.json(await addTranscriptLine(deps, accessOf(req).agent, readBody(req, 'transcription')));
      },
    ],
  });
