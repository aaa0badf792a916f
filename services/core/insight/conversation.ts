import type { Page } from '../../contract/account-answers.ts';
import type { Conversation, ConversationMessage } from '../../contract/history.ts';
import { problems } from '../../contract/problems.ts';
import type { Tx } from '../../store/database.ts';
import { findVersion } from '../../store/tables/agents.ts';
import { findCallOfSession } from '../../store/tables/calls.ts';
import { listEvents } from '../../store/tables/events.ts';
import { listMessagesAfter, type MessageRow } from '../../store/tables/messages.ts';
import { listPresence } from '../../store/tables/presence.ts';
import { findSession } from '../../store/tables/sessions.ts';
import { listToolCalls, type ToolCallRow } from '../../store/tables/tool-calls.ts';
import type { Vault } from '../credentials/vault.ts';
import { collectedBy } from '../finish/notes.ts';
import { toShownCall, withNumbers } from '../telephony/calls-shown.ts';
import { toItem } from './conversation-item.ts';

interface Seeing {
  vault: Pick<Vault, 'open'>;
  toolArguments: boolean;
  callersNumbers: boolean;
}

/** A conversation with its tools and the evidence for its minutes; undefined where the tenant has none of this id. */
export async function conversationOf(
  tx: Tx,
  id: string,
  { vault, toolArguments, callersNumbers }: Seeing,
): Promise<Conversation | undefined> {
  const session = await findSession(tx, id);
  if (!session) return undefined;
  const version = await findVersion(tx, session.agent, session.version_hash);
  const toolCalls = await listToolCalls(tx, id);
  const call = session.channel === 'phone' ? await findCallOfSession(tx, id) : undefined;
  return {
    ...toItem(session),
    commit: version?.commit ?? null,
    tokens: session.tokens,
    finishedAt: session.finished_at,
    collected: Object.fromEntries(collectedBy(toolCalls, version?.definition)),
    toolCalls: toolCalls.map((call) => toToolCall(call, toolArguments)),
    presence: (await listPresence(tx, id)).map((stay) => ({
      ...{ role: stay.role, joinedAt: stay.joined_at, leftAt: stay.left_at },
      ...{ joinedBy: stay.joined_by, leftBy: stay.left_by },
    })),
    ...(call && { call: withNumbers(toShownCall(vault, call), callersNumbers) }),
    events: (await listEvents(tx, id)).map(({ at, kind, source }) => ({ at, kind, source })),
  };
}

/** A page of what was said, from behind the line `after`. @throws Problem `session_not_found` */
export async function messagesOf(
  tx: Tx,
  id: string,
  { after, limit }: { after: number; limit: number },
): Promise<Page<ConversationMessage>> {
  if (!(await findSession(tx, id))) throw problems.sessionOfTenantNotFound();
  const rows = await listMessagesAfter(tx, id, { after, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { items: shown.map(toMessage), nextCursor: last ? String(last.sequence) : null };
}

export const toMessage = (row: MessageRow): ConversationMessage => ({
  sequence: row.sequence,
  role: row.role,
  source: row.source,
  content: row.content,
  at: row.at,
  turn: row.turn,
  interrupted: row.interrupted,
  mode: row.mode,
  timing: row.timing,
});

export function toToolCall(call: ToolCallRow, withArguments: boolean): Conversation['toolCalls'][number] {
  const { turn, name, status, started_at: startedAt, finished_at: finishedAt } = call;
  const shown = { turn, name, status, startedAt, finishedAt };
  return withArguments ? { ...shown, arguments: call.arguments, result: call.result } : shown;
}
