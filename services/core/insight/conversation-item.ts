import type { ConversationItem } from '../../contract/history.ts';
import type { HistoryRow } from '../../store/tables/session-history.ts';

export const toItem = (row: Omit<HistoryRow, 'position'>): ConversationItem => ({
  id: row.id,
  agent: row.agent,
  version: row.version_hash.slice(0, 12),
  status: row.status,
  endReason: row.end_reason,
  channel: row.channel,
  interactionMode: row.interaction_mode,
  language: row.language,
  createdAt: row.created_at,
  startedAt: row.started_at,
  endedAt: row.ended_at,
  durationSeconds: row.duration_seconds,
  billedSeconds: row.billed_seconds,
  turns: row.turns,
  summary: row.summary,
  outcome: row.outcome,
  sentiment: row.sentiment,
  toolFailed: row.tool_failed,
  test: row.test,
});
