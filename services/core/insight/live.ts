import type { ConversationItem, ConversationMessage, LiveDraft, LiveState } from '../../contract/history.ts';
import { problems } from '../../contract/problems.ts';
import type { Clock } from '../../process/clock.ts';
import type { Database } from '../../store/database.ts';
import { listMessagesAfter, listOpenDrafts } from '../../store/tables/messages.ts';
import { findSession, listLiveSessions, type SessionRow } from '../../store/tables/sessions.ts';
import { toMessage } from './conversation.ts';
import { toItem } from './conversation-item.ts';

const mostShown = 200;
const linesAtOnce = 200;

/** Conversations that are not over, the newest first; at most 200. */
export async function liveConversations(db: Database, tenant: string): Promise<ConversationItem[]> {
  const rows = await db.asTenant(tenant, (tx) => listLiveSessions(tx, mostShown));
  return rows.map(toItem);
}

export interface Heard {
  state: LiveState;
  messages: ConversationMessage[];
  /** What the agent is saying, as far as it was handed to the room. */
  drafts: LiveDraft[];
  /** It is over, and its host has handed in its last lines, or never will. */
  isComplete: boolean;
}

/** So long the host of a conversation that has ended may take to hand in its last lines (core/finish waits as long). */
const hostPatienceMs = 6_000;

const isComplete = ({ status, ended_at, host_id }: SessionRow, now: Date): boolean =>
  status === 'ended' && (host_id === null || now.getTime() - (ended_at?.getTime() ?? 0) > hostPatienceMs);

/** What was said in a conversation behind the line `after`, and is being said. @throws Problem `session_not_found` */
export const hear = (
  { db, clock }: { db: Database; clock: Clock },
  tenant: string,
  id: string,
  after: number,
): Promise<Heard> =>
  db.asTenant(tenant, async (tx) => {
    const session = await findSession(tx, id);
    if (!session) throw problems.sessionOfTenantNotFound();
    const rows = await listMessagesAfter(tx, id, { after, limit: linesAtOnce });
    const drafts = session.status === 'ended' ? [] : await listOpenDrafts(tx, id);
    return {
      state: {
        status: session.status,
        interactionMode: session.interaction_mode,
        language: session.language,
        startedAt: session.started_at,
        endedAt: session.ended_at,
        endReason: session.end_reason,
        turns: session.turns,
        agentThere: session.host_id !== null && session.unattended_since === null,
      },
      isComplete: isComplete(session, clock.now()),
      messages: rows.map(toMessage),
      drafts: drafts.map(({ sequence, draft }) => ({ turn: sequence, content: draft.content.slice(0, draft.told) })),
    };
  });
