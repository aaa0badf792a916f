import { APIError, type llm, type voice } from '@livekit/agents';

/**
 * - `unauthorized`: 401 or 403; the operator must act.
 * - `rate_limited`: 429; `retryAfterMs` when the provider said so.
 * - `rejected`: another 4xx, such as a conversation longer than the model's context; the same request fails again.
 * - `unavailable`: 5xx, a fault reported within the stream, no connection or a lost one.
 * - `timeout`: no first word in time. `stalled`: the words stopped coming.
 * - `incomplete`: the stream ended before the model had finished, or was not readable.
 */
export type ModelFailureKind =
  | 'unauthorized'
  | 'rate_limited'
  | 'rejected'
  | 'unavailable'
  | 'timeout'
  | 'stalled'
  | 'incomplete';

export interface ModelFailureDetails {
  kind: ModelFailureKind;
  /** Says what happened; may quote the provider, so it belongs into logs and not into the conversation. */
  message: string;
  statusCode?: number;
  retryAfterMs?: number;
  cause?: unknown;
}

/**
 * A model could not answer. Never retryable for the framework: what is worth a second try was tried before it was thrown.
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
export class ModelFailure extends APIError {
  readonly kind: ModelFailureKind;
  readonly statusCode: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor({ kind, message, statusCode, retryAfterMs, cause }: ModelFailureDetails) {
    super(message, { retryable: false });
    this.name = 'ModelFailure';
    this.kind = kind;
    this.statusCode = statusCode;
    this.retryAfterMs = retryAfterMs;
    if (cause !== undefined) this.cause = cause;
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

const isModelError = (error: unknown): error is { error: unknown; recoverable: boolean } =>
  typeof error === 'object' && error !== null && (error as { type?: unknown }).type === 'llm_error';

/**
 * The failure behind a session's `error` event, or undefined when it is not about the model (or not final). Errors that
 * are not ours (a bug in a provider) come out as `unavailable`.
 */
export function modelFailureOf(event: Pick<voice.ErrorEvent, 'error'>): ModelFailure | undefined {
  if (!isModelError(event.error) || event.error.recoverable) return undefined;
  return toModelFailure(event.error.error);
}

/** @see modelFailureOf; `error` is whatever was thrown. */
export function toModelFailure(error: unknown): ModelFailure {
  if (error instanceof ModelFailure) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ModelFailure({ kind: 'unavailable', message, cause: error });
}

/** Whether a chunk is something the person can notice; after it a second try would repeat words or a tool call. */
export const isOutput = (chunk: llm.ChatChunk): boolean =>
  Boolean(chunk.delta?.content || chunk.delta?.toolCalls?.length);
