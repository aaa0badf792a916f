import type { SessionEventRow } from '../../store/tables/events.ts';
import type { MessageRow } from '../../store/tables/messages.ts';
import type { PresenceRow } from '../../store/tables/presence.ts';
import type { SessionRow } from '../../store/tables/sessions.ts';
import type { ToolCallRow } from '../../store/tables/tool-calls.ts';

export interface StoredSession {
  session: SessionRow;
  messages: MessageRow[];
  toolCalls: ToolCallRow[];
  presence: PresenceRow[];
  events: SessionEventRow[];
}

/** Everything stored about a session, as the try-it page reads it (services/web/client/shapes.ts). */
export const toDetails = ({ session, messages, toolCalls, presence, events }: StoredSession) => ({
  status: session.status,
  endReason: session.end_reason,
  startedAt: session.started_at,
  endedAt: session.ended_at,
  durationSeconds: session.duration_seconds,
  billedSeconds: session.billed_seconds,
  finishedAt: session.finished_at,
  summary: session.summary,
  outcome: session.outcome,
  sentiment: session.sentiment,
  toolCalls: toolCalls.map((call) => ({
    turn: call.turn,
    name: call.name,
    arguments: call.arguments,
    status: call.status,
    result: call.result,
    startedAt: call.started_at,
    finishedAt: call.finished_at,
  })),
  messages: messages.map(({ turn, role, content, at, interrupted, mode, timing }) => ({
    turn,
    role,
    content,
    at,
    interrupted,
    mode,
    timing,
  })),
  presence: presence.map((stay) => ({ role: stay.role, joinedAt: stay.joined_at, leftAt: stay.left_at })),
  events: events.map(({ at, kind, source }) => ({ at, kind, source })),
});
