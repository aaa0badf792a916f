/** The bodies that this page reads. Times are ISO 8601, durations whole seconds. */

export interface AgentChoice {
  agent: string;
  name: string;
  apiKey: string;
  /** `speaks`: it can be talked to in this language, as the agent permits it and the installation can. */
  languages: { code: string; name: string; speaks: boolean }[];
}

/** Why the agents' files as they are now are not live. */
export interface Refusal {
  reasons: { file: string; line: number; column: number; message: string }[];
  reasonsLeftOut: number;
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
  turn: number;
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
  /** Messages and tool calls that answer the same text have the same one; 0 is a line that answers nothing. */
  turn: number;
  /** The agent was cut off in it. */
  interrupted: boolean;
  mode: 'VOICE' | 'TEXT';
  timing: TurnTiming | null;
}

/** What a reply took, in milliseconds, by what the time was spent on; see services/store/tables/messages.ts. */
export interface TurnTiming {
  endpointing?: number;
  recognition?: number;
  firstToken?: number;
  firstSound?: number;
  playout?: number;
  tools?: number;
  interruptedAfter?: number;
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

/** What `GET /try/api/sessions/:id` answers (services/api/try/details.ts): everything stored, in development only. */
export interface SessionDetails extends Figures {
  status: 'created' | 'running' | 'ended';
  /** When summary, outcome and sentiment were made, or given up. */
  finishedAt: string | null;
  summary: string | null;
  outcome: string | null;
  sentiment: string | null;
  toolCalls: ToolCall[];
  messages: StoredMessage[];
  presence: Stay[];
  events: EvidenceEvent[];
}
