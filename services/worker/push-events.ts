import type { IncomingMessage } from 'node:http';
import { readSigned, type SignedRequestAnswer } from './signed-request.ts';

export interface PushEventsOptions {
  /** Undefined: events are refused, as nobody could prove one. */
  secret: string | undefined;
  /** Looks at the repository now. */
  nudge: () => void;
}

/**
 * Hundreds of commits. GitHub sends up to 25 MiB; a push so large is found by the next look at the branch, and whoever has no secret makes us
 * hash no more than this.
 */
const maxBytes = 1024 * 1024;

/** A signed push event of GitHub, GitLab or Gitea makes the worker look at once. It is only a hint: what it says is not read. */
export async function receivePushEvent(
  request: IncomingMessage,
  { secret, nudge }: PushEventsOptions,
): Promise<SignedRequestAnswer> {
  if (secret === undefined)
    return { status: 404, code: 'not_found', message: 'Push events are not set up: give the worker a push secret.' };
  const refused = await readSigned(request, { secret, maxBytes, onChunk: () => undefined });
  if (refused) return refused;
  nudge();
  return { status: 202, code: 'accepted', message: 'The repository is looked at now.' };
}
