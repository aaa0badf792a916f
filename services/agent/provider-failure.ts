import { APIError, type voice } from '@livekit/agents';

export interface ProviderFailureDetails<Kind extends string> {
  kind: Kind;
  /** Says what happened; may quote the provider, so it belongs in the logs and not in the conversation. */
  message: string;
  cause?: unknown;
}

/** A provider of models or of speech failed. Never retryable for the framework: what is worth a second try was tried before. */
export abstract class ProviderFailure<Kind extends string> extends APIError {
  readonly kind: Kind;

  constructor({ kind, message, cause }: ProviderFailureDetails<Kind>) {
    super(message, { retryable: false });
    this.kind = kind;
    if (cause !== undefined) this.cause = cause;
  }
}

/** What was thrown, whatever it is, in words. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

interface FinalError {
  /** Whose it is, such as `llm_error`. */
  type: string | undefined;
  error: unknown;
}

/** What is behind a session's `error` event; undefined when a second try or a fallback mends it. */
export function finalErrorOf({ error }: Pick<voice.ErrorEvent, 'error'>): FinalError | undefined {
  const given = error as { type?: string; error?: unknown; recoverable?: boolean } | undefined;
  return given?.recoverable ? undefined : { type: given?.type, error: given?.error };
}
