/** What the API answers, as it is made; `AsJson` is how it arrives. Durations are whole seconds. */
import type { EndReason } from './end-reasons.ts';
import type {
  InteractionMode,
  MessageRole,
  Outcome,
  PresenceRole,
  Sentiment,
  SessionStatus,
  ToolCallStatus,
  TurnTiming,
} from './session.ts';

/** What it takes to join a session's room: the body of `POST /api/sessions`. */
export interface Connection {
  sessionId: string;
  wsUrl: string;
  token: string;
  voiceId?: string;
}

/** What becomes of a value on its way through JSON: times are ISO 8601 texts. */
export type AsJson<Value> = Value extends Date
  ? string
  : Value extends readonly (infer Item)[]
    ? AsJson<Item>[]
    : Value extends object
      ? { [Key in keyof Value]: AsJson<Value[Key]> }
      : Value;

export interface OfferedAgent {
  agent: string;
  name: string;
  apiKey: string;
  /** `speaks`: it can be talked to in this language, as the agent permits it and the installation can. */
  languages: { code: string; name: string; speaks: boolean }[];
}

/** Why the agents' files as they are now are not live. */
export interface RefusedFiles {
  reasons: { file: string; line: number; column: number; message: string }[];
  reasonsLeftOut: number;
}

/** The figures of a session, final once it has ended. */
export interface Figures {
  endReason: EndReason | null;
  startedAt: Date | null;
  endedAt: Date | null;
  durationSeconds: number | null;
  billedSeconds: number | null;
}

export interface ToolCallDetails {
  turn: number;
  name: string;
  arguments: unknown;
  status: ToolCallStatus;
  result: unknown;
  startedAt: Date;
  finishedAt: Date | null;
}

export interface MessageDetails {
  role: MessageRole;
  content: string;
  at: Date;
  /** Messages and tool calls that answer the same text have the same one; 0 is a line that answers nothing. */
  turn: number;
  /** The agent was cut off in it. */
  interrupted: boolean;
  mode: InteractionMode;
  timing: TurnTiming | null;
}

export interface Stay {
  role: PresenceRole;
  joinedAt: Date;
  leftAt: Date | null;
}

export interface EvidenceEvent {
  at: Date;
  kind: string;
  source: string;
}

/** Everything stored about a session. */
export interface SessionDetails extends Figures {
  status: SessionStatus;
  /** When summary, outcome and sentiment were made, or given up. */
  finishedAt: Date | null;
  summary: string | null;
  outcome: Outcome | null;
  sentiment: Sentiment | null;
  toolCalls: ToolCallDetails[];
  messages: MessageDetails[];
  presence: Stay[];
  events: EvidenceEvent[];
}
