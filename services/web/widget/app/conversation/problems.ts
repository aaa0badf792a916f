import { ApiProblem } from '../../../client/request.ts';
import type { ErrorCode } from '../../shapes.ts';

const codes: Record<string, ErrorCode> = {
  rate_limited: 'rate_limited',
  visitor_limit: 'rate_limited',
  concurrency_limit: 'no_capacity',
  minute_limit: 'no_capacity',
  token_limit: 'no_capacity',
  no_capacity: 'no_capacity',
  voice_unavailable: 'voice_unavailable',
  agent_disabled: 'agent_disabled',
  invalid_api_key: 'agent_disabled',
  origin_not_allowed: 'origin_not_allowed',
  challenge_required: 'challenge_required',
  session_ended: 'session_ended',
  session_not_found: 'session_ended',
};

/** What a refusal is called for the person and the page. */
export function codeOf(error: unknown): ErrorCode {
  if (error instanceof ApiProblem) return codes[error.code] ?? 'network';
  // The loader's own words for a key that was refused when the page asked for languages, and for a challenge that was not solved.
  const said = error instanceof Error ? error.message : '';
  return said === 'agent_disabled' || said === 'challenge_required' ? said : 'network';
}

/** Whether waiting may help. Limits of a day, and what only the operator can change, are not waited for. */
export function mayBeTriedAgain(error: unknown): boolean {
  if (!(error instanceof ApiProblem)) return codeOf(error) === 'network';
  return [
    'rate_limited',
    'no_capacity',
    'unavailable',
    'unreachable',
    'internal',
    'idempotency_key_in_progress',
  ].includes(error.code);
}

/** When the service says how long. */
export const askedToWait = (error: unknown): { retryAfterSeconds?: number } =>
  error instanceof ApiProblem && error.retryAfterSeconds !== undefined
    ? { retryAfterSeconds: error.retryAfterSeconds }
    : {};

const longestMs = 30_000;

/**
 * How long to wait before the next attempt (the first is 0): what the service asks for, else doubling from 1 s; up to a half more, so
 * that those who were refused together do not come back together. @param chance 0 to 1
 */
export function waitMs(attempt: number, error: unknown, chance: number): number {
  const asked = error instanceof ApiProblem ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
  const doubled = 1_000 * 2 ** attempt;
  return Math.min(Math.max(asked, doubled), longestMs) * (1 + chance / 2);
}

/** How a refused microphone is called. */
export const codeOfMicrophone = (error: unknown): ErrorCode => {
  const { name } = (error ?? {}) as { name?: string };
  const isMissing = name === 'NotFoundError' || name === 'DevicesNotFoundError' || name === 'OverconstrainedError';
  return isMissing || !navigator.mediaDevices ? 'microphone_missing' : 'microphone_denied';
};
