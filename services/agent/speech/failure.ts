import { APIStatusError, APITimeoutError, type voice } from '@livekit/agents';
import { finalErrorOf, messageOf, ProviderFailure, type ProviderFailureDetails } from '../provider-failure.ts';

export type SpeechPart = 'recognition' | 'synthesis';

/**
 * - `unauthorized`: the key was refused; the operator must act.
 * - `quota`: the account's budget or rate is used up.
 * - `rejected`: the provider does not take what was asked, such as a voice it does not have; the same fails again.
 * - `unavailable`: no connection, a fault on the other side, an engine of this machine that does not run.
 * - `stalled`: connected, and nothing comes. `dropped`: the connection broke in the middle.
 */
export type SpeechFailureKind = 'unauthorized' | 'quota' | 'rejected' | 'unavailable' | 'stalled' | 'dropped';

export interface SpeechFailureDetails extends ProviderFailureDetails<SpeechFailureKind> {
  part: SpeechPart;
  /** Who failed; the last one asked when several did. */
  provider: string;
}

/**
 * The agent cannot hear or cannot speak any more: every provider of this part failed, one after another.
 *
 * It comes as the session's `error` event (`speechFailureOf` reads it). After one of `recognition` the session is deaf,
 * after one of `synthesis` the reply that was being said is cut; a later reply is tried anew.
 */
export class SpeechFailure extends ProviderFailure<SpeechFailureKind> {
  readonly part: SpeechPart;
  readonly provider: string;

  constructor({ part, provider, ...details }: SpeechFailureDetails) {
    super(details);
    this.name = 'SpeechFailure';
    this.part = part;
    this.provider = provider;
  }
}

const partOf: Readonly<Record<string, SpeechPart>> = { stt_error: 'recognition', tts_error: 'synthesis' };

/** The failure behind a session's `error` event, or undefined when it is not about speech, or was mended by a fallback. */
export function speechFailureOf(event: Pick<voice.ErrorEvent, 'error'>): SpeechFailure | undefined {
  const final = finalErrorOf(event);
  const part = partOf[final?.type ?? ''];
  return part && toSpeechFailure(final?.error, { part, provider: 'unknown' });
}

/** Names what was thrown by a provider's plugin or by an engine. */
export function toSpeechFailure(
  error: unknown,
  { part, provider }: Pick<SpeechFailureDetails, 'part' | 'provider'>,
): SpeechFailure {
  if (error instanceof SpeechFailure) return error;
  const message = messageOf(error);
  return new SpeechFailure({ part, provider, kind: kindOf(error, message), message, cause: error });
}

function kindOf(error: unknown, message: string): SpeechFailureKind {
  const status = statusOf(error, message);
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 402 || status === 429) return 'quota';
  if (status !== undefined && status >= 400 && status < 500) return 'rejected';
  if (error instanceof APITimeoutError) return 'stalled';
  return /closed|hang up|reset/i.test(message) ? 'dropped' : 'unavailable';
}

/** A WebSocket client tells the status of a refused connection in its message only. */
function statusOf(error: unknown, message: string): number | undefined {
  if (error instanceof APIStatusError && error.statusCode > 0) return error.statusCode;
  const told = /(?:unexpected server response|status(?: code)?):? (\d{3})/i.exec(message);
  return told ? Number(told[1]) : undefined;
}

/** Whether the same provider may manage a moment later. */
export const mayPass = ({ kind }: SpeechFailure): boolean =>
  kind === 'dropped' || kind === 'stalled' || kind === 'unavailable';
