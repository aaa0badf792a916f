import { problems } from '../../contract/problems.ts';
import type { Clock } from '../../process/clock.ts';
import type { Database } from '../../store/database.ts';
import { findSessionByRoom, type SessionRow } from '../../store/tables/sessions.ts';
import type { LiveAgent } from '../agents/live-agent.ts';
import type { Rooms } from '../rooms/rooms.ts';
import { connect, type Opened } from './connect.ts';
import { readOwnSession } from './end.ts';
import { secondsUntilAgent } from './wait-for-host.ts';

export interface ReadDeps {
  db: Database;
  rooms: Rooms;
  clock: Clock;
}

/** Fresh room credentials for a client that reconnects. @throws Problem `session_not_found`, `session_ended` */
export async function reconnect({ db, rooms, clock }: ReadDeps, agent: LiveAgent, id: string): Promise<Opened> {
  const row = await readOwnSession(db, agent, id);
  if (!row) throw problems.sessionNotFound();
  if (row.status === 'ended') throw problems.sessionEnded();
  const connection = connect(rooms, agent, {
    session_id: row.id,
    room_name: row.room_name,
    identity: row.participant_identity,
    voice_id: row.voice_id,
  });
  return { connection, agentWithinSeconds: secondsUntilAgent(row, clock) };
}

export interface RoomConfig {
  sessionId?: string;
  roomName: string;
  agent: { name: string; version: string };
  language: string;
  voiceId: string | null;
  interactionMode: SessionRow['interaction_mode'];
  status: SessionRow['status'];
}

/** What a room is about; its session's id only for callers that are not a page. @throws Problem `session_not_found` */
export async function describeRoom(
  db: Database,
  agent: LiveAgent,
  roomName: string,
  { browser }: { browser: boolean },
): Promise<RoomConfig> {
  const row = await db.asTenant(agent.tenant, (tx) => findSessionByRoom(tx, roomName));
  if (row?.agent !== agent.agent) throw problems.roomNotFound();
  return {
    ...(browser ? {} : { sessionId: row.id }),
    roomName: row.room_name,
    agent: { name: agent.definition.name, version: row.version_hash.slice(0, 12) },
    language: row.language,
    voiceId: row.voice_id,
    interactionMode: row.interaction_mode,
    status: row.status,
  };
}
