import { type GuardedFetch, GuardedFetchError } from '../../process/outbound/guarded-fetch.ts';
import { signatureHeaders } from './sign.ts';

export interface SendDeps {
  guardedFetch: GuardedFetch;
  /** Development only: a webhook may point to this machine. */
  allowLoopback: boolean;
  /** How long a receiver has for its whole answer; 15 s except in tests. */
  answerWithinMs?: number;
}

export interface Sending {
  id: string;
  url: string;
  /** Sent byte for byte. */
  body: string;
  secrets: readonly string[];
  at: Date;
}

export interface AttemptResult {
  /** `gone` (410): the receiver wants nothing more, ever. */
  result: 'delivered' | 'failed' | 'gone';
  durationMs: number;
  statusCode: number | null;
  /** One plain sentence; null when it was delivered. */
  error: string | null;
  /** The beginning of the answer's body; null when there was no answer. */
  excerpt: string | null;
  /** What was sent beside the body; null when nothing was. */
  requestHeaders: Record<string, string> | null;
}

const usualAnswerMs = 15_000;
const maxAnswerBytes = 4_096;
const excerptLength = 1_000;

/** One attempt. Whatever goes wrong is a result; redirects are failures, because a signed body goes where it was told to go. */
export async function sendOnce(
  { guardedFetch, allowLoopback, answerWithinMs = usualAnswerMs }: SendDeps,
  { id, url, body, secrets, at }: Sending,
): Promise<AttemptResult> {
  const began = performance.now();
  const took = () => Math.round(performance.now() - began);
  const requestHeaders = {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Parley-Webhook/1',
    ...signatureHeaders({ id, body, at }, secrets),
  };
  try {
    const answer = await guardedFetch(url, {
      method: 'POST',
      headers: requestHeaders,
      body,
      timeoutMs: answerWithinMs,
      maxBytes: maxAnswerBytes,
      allowLoopback,
    });
    const excerpt = readable(answer.body);
    return { ...judge(answer.status), durationMs: took(), statusCode: answer.status, excerpt, requestHeaders };
  } catch (error) {
    const reason = error instanceof GuardedFetchError ? error.message : 'The request could not be made.';
    return { result: 'failed', durationMs: took(), statusCode: null, error: reason, excerpt: null, requestHeaders };
  }
}

function judge(status: number): Pick<AttemptResult, 'result' | 'error'> {
  if (status >= 200 && status < 300) return { result: 'delivered', error: null };
  if (status === 410) return { result: 'gone', error: 'The receiver answered 410: it wants no more deliveries.' };
  if (status >= 300 && status < 400)
    return { result: 'failed', error: `The receiver answered ${status}; redirects are not followed.` };
  return { result: 'failed', error: `The receiver answered ${status}.` };
}

/** Text that can be stored and shown: PostgreSQL takes no NUL, a terminal no control characters. */
const readable = (body: Buffer) =>
  body
    .toString('utf8')
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, excerptLength);
