import type { Response } from 'express';
import type { Opened } from '../../core/sessions/connect.ts';

export const agentWithinHeader = 'X-Parley-Agent-Within';

/** Says that the agent is not in the room yet: in a header, because the body is what every customer's client knows. */
export function sayAgentWithin(res: Response, { agentWithinSeconds }: Pick<Opened, 'agentWithinSeconds'>): void {
  if (agentWithinSeconds !== undefined) res.setHeader(agentWithinHeader, String(agentWithinSeconds));
}
