import type { llm, voice } from '@livekit/agents';
import { finalErrorOf, messageOf, ProviderFailure, type ProviderFailureDetails } from '../provider-failure.ts';

/**
 * - `unauthorized`: 401 or 403; the operator must act.
 * - `rate_limited`: 429; `retryAfterMs` when the provider said so.
 * - `rejected`: another 4xx, such as a conversation longer than the model's context; the same request fails again.
 * - `unavailable`: 5xx, a fault reported within the stream, no connection or a lost one.
 * - `timeout`: no first word in time, or not the whole answer. `stalled`: the words stopped coming.
 * - `incomplete`: the stream ended before the model had finished, or without a word and a tool call, or was not readable.
 */
export type ModelFailureKind =
  | 'unauthorized'
  | 'rate_limited'
  | 'rejected'
  | 'unavailable'
  | 'timeout'
  | 'stalled'
  | 'incomplete';

export interface ModelFailureDetails extends ProviderFailureDetails<ModelFailureKind> {
  statusCode?: number;
  retryAfterMs?: number;
  /** Rejected because the conversation is longer than the model's context. */
  tooLong?: boolean;
}

/**
 * A model could not answer.
 *
 * How it shows in a `voice.AgentSession` (1.9.0; all of it is held by `test/models/openai.test.ts`):
 * - The handle of `generateReply` does **not** reject, and its `exception()` stays undefined: the framework swallows what
 *   a model's stream throws (`llm/llm.js`, `runMainTask`) and only emits `error`. The turn ends like an empty answer.
 * - The session emits `error` (`voice.ErrorEvent`) **before** the handle is done and before the item of that turn is
 *   added, so a listener knows of the failure when either comes. `modelFailureOf` reads the event.
 * - Words that came before the failure were sent, and are kept as an ordinary assistant message with
 *   `interrupted: false`: the host must mark it.
 * - A session closes itself with reason `error` on the failure after `connOptions.maxUnrecoverableErrors` (3: so on the
 *   fourth) if the agent did not speak in between (`voice/agent_session.js`, `_onError`). `keepSessionAlive` turns that
 *   off; whether to end the session is the host's decision.
 * - `session.say` works after a failure. `session.run` resolves as if nothing had been said.
 */
export class ModelFailure extends ProviderFailure<ModelFailureKind> {
  readonly statusCode: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly tooLong: boolean;

  constructor({ statusCode, retryAfterMs, tooLong = false, ...details }: ModelFailureDetails) {
    super(details);
    this.name = 'ModelFailure';
    this.statusCode = statusCode;
    this.retryAfterMs = retryAfterMs;
    this.tooLong = tooLong;
  }
}

/**
 * For `new voice.AgentSession({connOptions})`: no number of failed answers closes the session by itself, and the
 * framework adds no tries of its own to those of the provider.
 */
export const keepSessionAlive = {
  maxUnrecoverableErrors: Number.POSITIVE_INFINITY,
  llmConnOptions: { maxRetry: 0, retryIntervalMs: 0, timeoutMs: 60_000 },
};

/**
 * The failure behind a session's `error` event, or undefined when it is not about the model (or not final). Errors that
 * are not ours (a bug in a provider) come out as `unavailable`.
 */
export function modelFailureOf(event: Pick<voice.ErrorEvent, 'error'>): ModelFailure | undefined {
  const final = finalErrorOf(event);
  return final?.type === 'llm_error' ? toModelFailure(final.error) : undefined;
}

/** @see modelFailureOf; `error` is whatever was thrown. */
export function toModelFailure(error: unknown): ModelFailure {
  if (error instanceof ModelFailure) return error;
  return new ModelFailure({ kind: 'unavailable', message: messageOf(error), cause: error });
}

/** The whole turn, tools included, has taken longer than it may. */
export const turnOverdue = (deadlineMs: number): ModelFailure =>
  new ModelFailure({ kind: 'timeout', message: `the turn took longer than ${deadlineMs} ms` });

/** White space alone is nothing that a person notices, read or heard. */
export const hasWords = (content: string | null | undefined): boolean => Boolean(content?.trim());

/** Whether a chunk is something the person can notice; after it a second try would repeat words or a tool call. */
export const isOutput = (chunk: llm.ChatChunk): boolean =>
  hasWords(chunk.delta?.content) || Boolean(chunk.delta?.toolCalls?.length);
