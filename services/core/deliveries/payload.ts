import type { Outcome, Sentiment } from '../../contract/session.ts';
import type { CallOfConversation } from '../../contract/telephony.ts';
import type { DeliveryRow } from '../../store/tables/deliveries.ts';
import type { MessageRow } from '../../store/tables/messages.ts';
import type { SessionRow } from '../../store/tables/sessions.ts';
import type { ToolCallRow } from '../../store/tables/tool-calls.ts';

/** What a receiver is sent (docs/call/webhook.md). Times are ISO 8601 UTC with milliseconds. */
export interface ConversationEvent {
  type: DeliveryRow['event'];
  timestamp: string;
  data: ConversationData;
}

export interface ConversationData {
  sessionId: string;
  /** The agent's id: its file name without .yaml. */
  agent: string;
  /** The first 12 digits of its version's hash. */
  agentVersion: string;
  channel: SessionRow['channel'];
  interactionMode: SessionRow['interaction_mode'];
  language: string;
  startedAt: string | null;
  endedAt: string;
  durationSeconds: number;
  billedSeconds: number;
  endReason: string;
  outcome: Outcome;
  sentiment: Sentiment;
  summary: string | null;
  /** What the tool `collect` noted, by name, of the kinds that the agent's file declares; the last word on each. */
  collected: Record<string, unknown>;
  /** `client`: the caller's own words for what was said, whoever they say said it; sent only where the host stored no line. */
  transcript: { role: 'USER' | 'ASSISTANT'; content: string; at: string; source: 'host' | 'client' }[];
  toolCalls: { name: string; ok: boolean; durationMs: number | null; at: string }[];
  /** Where it was held by telephone, or was to be. */
  call?: CallOfConversation;
}

export interface FinishedConversation {
  session: SessionRow;
  messages: readonly MessageRow[];
  toolCalls: readonly ToolCallRow[];
  collected: ReadonlyMap<string, unknown>;
  call?: CallOfConversation | undefined;
}

/** The finished conversation; `session` carries summary, outcome and sentiment already. */
export function finishedEvent(
  { session, messages, toolCalls, collected, call }: FinishedConversation,
  at: Date,
): ConversationEvent {
  return {
    type: 'conversation.finished',
    timestamp: at.toISOString(),
    data: {
      sessionId: session.id,
      agent: session.agent,
      agentVersion: session.version_hash.slice(0, 12),
      channel: session.channel,
      interactionMode: session.interaction_mode,
      language: session.language,
      startedAt: session.started_at?.toISOString() ?? null,
      endedAt: (session.ended_at ?? at).toISOString(),
      durationSeconds: session.duration_seconds ?? 0,
      billedSeconds: session.billed_seconds ?? 0,
      endReason: session.end_reason ?? '',
      outcome: session.outcome ?? 'unknown',
      sentiment: session.sentiment ?? 'neutral',
      summary: session.summary,
      collected: Object.fromEntries(collected),
      transcript: messages.map(toPublicLine),
      toolCalls: toolCalls.map(toPublicCall),
      ...(call && { call }),
    },
  };
}

const toPublicLine = ({ role, content, at, source }: MessageRow) => ({ role, content, at: at.toISOString(), source });

/** What was asked and answered stays inside, but for `collected`: arguments and results may hold what the person never saw. */
const toPublicCall = ({ name, status, started_at, finished_at }: ToolCallRow) => ({
  name,
  ok: status === 'ok',
  durationMs: finished_at ? finished_at.getTime() - started_at.getTime() : null,
  at: started_at.toISOString(),
});

/** An event of the same shape with an invented conversation, for the tester. */
export function testEvent(
  { agent, version, language }: { agent: string; version: string; language: string },
  at: Date,
): ConversationEvent {
  const before = (seconds: number) => new Date(at.getTime() - seconds * 1000).toISOString();
  return {
    type: 'conversation.test',
    timestamp: at.toISOString(),
    data: {
      sessionId: 's_test',
      agent,
      agentVersion: version.slice(0, 12),
      channel: 'api',
      interactionMode: 'TEXT',
      language,
      startedAt: before(42),
      endedAt: at.toISOString(),
      durationSeconds: 42,
      billedSeconds: 42,
      endReason: 'agent_ended',
      outcome: 'resolved',
      sentiment: 'positive',
      summary: 'This is a test of the webhook. No such conversation took place.',
      collected: { name: 'Ada Brown', guests: 2 },
      transcript: [
        { role: 'ASSISTANT', content: 'Hello, how can I help?', at: before(41), source: 'host' },
        { role: 'USER', content: 'Does the webhook work?', at: before(30), source: 'host' },
        { role: 'ASSISTANT', content: 'If you can read this, it does.', at: before(28), source: 'host' },
      ],
      toolCalls: [{ name: 'example_tool', ok: true, durationMs: 120, at: before(29) }],
    },
  };
}
