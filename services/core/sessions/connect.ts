import type { Connection } from '../../contract/answers.ts';
import type { CreateResult } from '../../store/tables/sessions.ts';
import type { LiveAgent } from '../agents/live-agent.ts';
import type { Rooms } from '../rooms/rooms.ts';

export interface Opened {
  connection: Connection;
  /** Undefined: the agent is in the room. Else it comes within so many seconds, or the session ends. */
  agentWithinSeconds: number | undefined;
}

/** Fresh credentials for the person of a session; signed here, the room server isn't asked. */
export function connect(
  rooms: Rooms,
  agent: LiveAgent,
  session: Pick<CreateResult, 'session_id' | 'room_name' | 'identity' | 'voice_id'>,
): Connection {
  const token = rooms.personToken(session.room_name, session.identity, {
    ttlMs: agent.definition.limits.joinTimeoutMs,
    camera: agent.settings.sessions.camera,
  });
  return {
    sessionId: session.session_id,
    wsUrl: rooms.publicUrl,
    token,
    ...(session.voice_id === null ? {} : { voiceId: session.voice_id }),
  };
}
