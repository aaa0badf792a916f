import { problems } from '../../contract/problems.ts';
import type { MessageRole } from '../../contract/session.ts';
import type { Clock } from '../../process/clock.ts';
import type { Database, Tx } from '../../store/database.ts';
import { addClientLine, countClientLines, findMessageByKey, nextSequence } from '../../store/tables/messages.ts';
import { findSession, findSessionByRoom, lockSession, type SessionRow } from '../../store/tables/sessions.ts';
import type { LiveAgent } from '../agents/live-agent.ts';

export interface TranscriptLine {
  role: MessageRole;
  content: string;
  sessionId?: string | undefined;
  roomName?: string | undefined;
  messageId?: string | undefined;
}

const maxClientLines = 2_000;
const closesAfterMs = 30_000;

/**
 * Stores a line that a client rendered by itself. It is never given to the model, and a repeated `messageId` changes nothing.
 * @throws Problem `invalid_request`, `session_not_found`, `session_ended` (30 s after the end), `transcript_full`
 */
export async function addTranscriptLine(
  { db, clock }: { db: Database; clock: Clock },
  agent: LiveAgent,
  line: TranscriptLine,
): Promise<{ messageId: string; sequence: number }> {
  return db.asTenant(agent.tenant, async (tx) => {
    const session = await findNamed(tx, agent, line);
    if (session.ended_at && clock.now().getTime() - session.ended_at.getTime() > closesAfterMs)
      throw problems.transcriptClosed();
    await lockSession(tx, session.id);
    // The client's ids live apart from the names that hosts give to utterances.
    const key = line.messageId === undefined ? null : `client ${line.messageId}`;
    const known = key && (await findMessageByKey(tx, session.id, key));
    if (known) return { messageId: line.messageId ?? '', sequence: known.sequence };
    if ((await countClientLines(tx, session.id)) >= maxClientLines) throw problems.transcriptFull();
    const sequence = await nextSequence(tx, session.id);
    await addClientLine(tx, {
      tenant: agent.tenant,
      session: session.id,
      sequence,
      role: line.role,
      content: line.content,
      key,
    });
    return { messageId: line.messageId ?? `${session.id}-${sequence}`, sequence };
  });
}

async function findNamed(tx: Tx, agent: LiveAgent, { sessionId, roomName }: TranscriptLine): Promise<SessionRow> {
  if (sessionId === undefined && roomName === undefined) {
    throw problems.invalidRequest('Say which session the line belongs to: send sessionId or roomName.', [
      { path: 'sessionId', message: 'Give "sessionId" or "roomName".' },
    ]);
  }
  const byId = sessionId === undefined ? undefined : own(agent, await findSession(tx, sessionId));
  const byRoom = roomName === undefined ? undefined : own(agent, await findSessionByRoom(tx, roomName));
  if (byId && byRoom && byId.id !== byRoom.id) {
    throw problems.invalidRequest('sessionId and roomName name two different sessions. Send one of them.', [
      { path: 'roomName', message: 'This is not the room of the session in "sessionId".' },
    ]);
  }
  const named = [...(sessionId === undefined ? [] : [byId]), ...(roomName === undefined ? [] : [byRoom])];
  const [found] = named;
  if (!found || named.includes(undefined)) throw problems.sessionNotFound();
  return found;
}

/** Another agent's session is no session at all. */
const own = (agent: LiveAgent, row: SessionRow | undefined) => (row?.agent === agent.agent ? row : undefined);
