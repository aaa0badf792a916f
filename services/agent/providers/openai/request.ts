import OpenAI from 'openai';
import { backOffMs } from '../../../process/back-off.ts';
import { sleep } from '../../../process/sleep.ts';
import { ModelFailure, type ModelFailureKind, toModelFailure } from '../../models/failure.ts';
import { retryAfterMs } from '../../retry-after.ts';
import type { Deadline } from './deadline.ts';

const tries = 3;
const firstPauseMs = 250;
/** Worth another try: nothing was said yet, and the same request may succeed. */
const passing: readonly ModelFailureKind[] = ['rate_limited', 'unavailable'];

/**
 * Asks for a completion, and again while that can help and its pause fits into the deadline: a person is waiting, so a
 * provider that wants a longer pause than that has failed for this turn, and says so at once.
 *
 * @throws ModelFailure
 */
export async function requestCompletion(
  client: OpenAI,
  body: OpenAI.ChatCompletionCreateParamsStreaming,
  deadline: Deadline,
  signal: AbortSignal,
): Promise<AsyncIterable<OpenAI.ChatCompletionChunk>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await client.chat.completions.create(body, { signal });
    } catch (error) {
      if (deadline.expired) throw deadline.failure();
      const failure = failureOf(error);
      const pauseMs = failure.retryAfterMs ?? backOffMs(attempt, { firstMs: firstPauseMs });
      if (signal.aborted || attempt === tries || !passing.includes(failure.kind)) throw failure;
      if (pauseMs >= deadline.remainingMs) throw failure;
      await sleep(pauseMs, signal).catch(() => {
        throw failure;
      });
    }
  }
}

const kindOfStatus = (status: number): ModelFailureKind => {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 429) return 'rate_limited';
  return status >= 500 || status === 408 || status === 409 ? 'unavailable' : 'rejected';
};

/** What the client's errors mean. */
export function failureOf(error: unknown): ModelFailure {
  if (error instanceof SyntaxError)
    return new ModelFailure({ kind: 'incomplete', message: 'The stream was not readable.', cause: error });
  if (!(error instanceof OpenAI.APIError) || error.status === undefined) return toModelFailure(error);
  const pauseMs = error.headers && retryAfterMs(error.headers);
  return new ModelFailure({
    kind: outOfCredit(error) ? 'unauthorized' : kindOfStatus(error.status),
    message: error.message,
    statusCode: error.status,
    tooLong: isTooLong(error),
    ...(pauseMs !== undefined && { retryAfterMs: pauseMs }),
    cause: error,
  });
}

/** OpenAI answers 429 for an account without credit too; no pause helps there. */
const outOfCredit = (error: { code?: string | null | undefined }) => error.code === 'insufficient_quota';

/**
 * OpenAI and most servers of its protocol have a code for it. vLLM ("This model's maximum context length is …"), llama.cpp
 * ("exceeds the available context size") and gateways before other models ("prompt is too long") say it in words.
 */
const isTooLong = ({ status, code, message }: { status?: number; code?: string | null | undefined; message: string }) =>
  status === 413 ||
  code === 'context_length_exceeded' ||
  (status === 400 && /context (?:length|size|window)|(?:prompt|input) is too long|too many tokens/i.test(message));
