/** Conversations as people see them: the account API under `/api/tenants/:tenant/sessions`. */
import type { EvidenceEvent, Figures, MessageDetails, Stay, ToolCallDetails } from './answers.ts';
import type { Channel, InteractionMode, Outcome, Sentiment, SessionStatus } from './session.ts';
import type { CallShown } from './telephony.ts';

/** A line of the list. */
export interface ConversationItem extends Figures {
  id: string;
  agent: string;
  /** The first 12 digits of its hash. */
  version: string;
  status: SessionStatus;
  channel: Channel;
  interactionMode: InteractionMode;
  language: string;
  createdAt: Date;
  /** Texts and utterances of the person. */
  turns: number;
  summary: string | null;
  outcome: Outcome | null;
  sentiment: Sentiment | null;
  /** Null until it is finished. */
  toolFailed: boolean | null;
  /** Made in the dashboard to try the agent: not billed, in no analytics. */
  test: boolean;
}

/** A tool call; `arguments` and `result` for `editor` and above. */
export type ConversationToolCall = Omit<ToolCallDetails, 'arguments' | 'result'> &
  Partial<Pick<ToolCallDetails, 'arguments' | 'result'>>;

/** One conversation, with the evidence for its minutes. */
export interface Conversation extends ConversationItem {
  /** Of the Git commit that brought its version; null from a folder. */
  commit: string | null;
  tokens: number;
  /** When summary, outcome and sentiment were made, or given up. */
  finishedAt: Date | null;
  /** What the tool `collect` noted. */
  collected: Record<string, unknown>;
  toolCalls: ConversationToolCall[];
  presence: (Stay & { joinedBy: string; leftBy: string | null })[];
  events: EvidenceEvent[];
  /** By which it was held, or was to be; absent where it came by another channel. */
  call?: CallShown;
}

export interface ConversationMessage extends MessageDetails {
  /** Its place in the conversation; a page goes on from there. */
  sequence: number;
  /** `client`: the caller's own words for what was said, whoever they say said it. */
  source: 'host' | 'client';
}

/** How a live conversation stands. */
export interface LiveState {
  status: SessionStatus;
  interactionMode: InteractionMode;
  language: string;
  startedAt: Date | null;
  endedAt: Date | null;
  endReason: Figures['endReason'];
  turns: number;
  /** An agent holds it, and is in its room. */
  agentThere: boolean;
}

/** A reply on its way: what the person has heard of it, or was sent. The whole of it comes as a `message`. */
export interface LiveDraft {
  /** The person's line that it answers. */
  turn: number;
  content: string;
}

/** `GET …/live`: `data` by the name of the event. */
export interface LiveEvents {
  sessions: { items: ConversationItem[] };
}

/** `GET …/sessions/:session/live`: `data` by the name of the event. The stream ends after `ended`. */
export interface ConversationEvents {
  /** Its id is the line's `sequence`. */
  message: ConversationMessage;
  draft: LiveDraft;
  state: LiveState;
  ended: LiveState;
}
