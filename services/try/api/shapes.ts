/** The bodies that this page reads. Times are ISO 8601, durations whole seconds. */

export interface AgentChoice {
  agent: string;
  name: string;
  apiKey: string;
  languages: { code: string; name: string }[];
}

export interface Connection {
  sessionId: string;
  wsUrl: string;
  token: string;
}

export interface Figures {
  endReason: string | null;
  startedAt: string | null;
  endedAt: string | null;
  durationSeconds: number | null;
  billedSeconds: number | null;
}

export interface ToolCall {
  name: string;
  arguments: unknown;
  status: 'started' | 'ok' | 'failed' | 'unknown';
  result: unknown;
  startedAt: string;
  finishedAt: string | null;
}

export interface StoredMessage {
  role: 'USER' | 'ASSISTANT';
  content: string;
  at: string;
}

export interface Stay {
  role: 'person' | 'agent';
  joinedAt: string;
  leftAt: string | null;
}

export interface EvidenceEvent {
  at: string;
  kind: string;
  source: string;
}

/** What `GET /try/api/sessions/:id` answers: everything stored about a session, in development only. */
export interface SessionDetails extends Figures {
  status: 'created' | 'running' | 'ended';
  summary: string | null;
  outcome: string | null;
  sentiment: string | null;
  toolCalls: ToolCall[];
  messages: StoredMessage[];
  presence: Stay[];
  events: EvidenceEvent[];
}
