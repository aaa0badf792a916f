/** The words that database, API, webhooks and pages share about a session. */

export type SessionStatus = 'created' | 'running' | 'ended';
export type Channel = 'phone' | 'widget' | 'api';
export type InteractionMode = 'VOICE' | 'TEXT';
export type MessageRole = 'USER' | 'ASSISTANT';
export type PresenceRole = 'person' | 'agent';
/**
 * What a tool call came to. `failed`: it certainly did nothing, or it only reads. `unknown`: its work had begun, and nobody knows what came of
 * it, so nobody repeats it.
 */
export type ToolOutcome = 'ok' | 'failed' | 'unknown';
export type ToolCallStatus = 'started' | ToolOutcome;

export const outcomes = ['resolved', 'unresolved', 'transferred', 'no_input', 'failed', 'unknown'] as const;
export type Outcome = (typeof outcomes)[number];

export const sentiments = ['positive', 'neutral', 'negative'] as const;
export type Sentiment = (typeof sentiments)[number];

/**
 * What a reply took, in milliseconds, by what the time was spent on; each is left out where there was no such thing. Between
 * the person's last sound and the agent's first lie `endpointing`, `recognition`, and the time up to `firstSound`.
 */
export interface TurnTiming {
  /** From the person's last sound to the decision that they have finished. */
  endpointing?: number;
  /** From that decision until the words were known. */
  recognition?: number;
  /** From the turn's beginning to the model's first word. */
  firstToken?: number;
  /** From the turn's beginning to the first sound that was handed to the room. */
  firstSound?: number;
  /** Of the agent's speech. */
  playout?: number;
  /** In tools. */
  tools?: number;
  /** From the turn's beginning to the moment in which the person cut it short. */
  interruptedAfter?: number;
}
