import type { IncomingMessage } from 'node:http';
import { pushCheckFor } from './agents/push-signature.ts';

export interface PushEventsOptions {
  /** Undefined: events are refused, as nobody could prove one. */
  secret: string | undefined;
  /** Looks at the repository now. */
  nudge: () => void;
}

export interface PushAnswer {
  status: number;
  code: string;
  message: string;
}

/** GitHub's own limit for an event. Nothing of it is kept, so its size costs no memory. */
const maxBytes = 25 * 1024 * 1024;
const timeoutMs = 10_000;

/** A signed push event of GitHub, GitLab or Gitea makes the worker look at once. It is only a hint: what it says is not read. */
export async function receivePushEvent(
  request: IncomingMessage,
  { secret, nudge }: PushEventsOptions,
): Promise<PushAnswer> {
  if (secret === undefined)
    return { status: 404, code: 'not_found', message: 'Push events are not set up: give the worker a push secret.' };
  if (request.method !== 'POST')
    return { status: 405, code: 'method_not_allowed', message: 'Push events are sent with POST.' };
  const check = pushCheckFor(request.headers, secret);
  const unproven = { status: 401, code: 'invalid_signature', message: 'The event is not signed with our secret.' };
  if (!check) return unproven;
  const read = await readBody(request, check.add).catch(() => 'broken' as const);
  if (read === 'broken') return { status: 400, code: 'invalid_request', message: 'The event did not arrive whole.' };
  if (read === 'too large')
    return { status: 413, code: 'payload_too_large', message: `An event has at most ${maxBytes} bytes.` };
  if (!check.holds()) return unproven;
  nudge();
  return { status: 202, code: 'accepted', message: 'The repository is looked at now.' };
}

async function readBody(request: IncomingMessage, add: (chunk: Buffer) => void): Promise<'whole' | 'too large'> {
  const timer = setTimeout(() => request.destroy(new Error('too slow')), timeoutMs);
  try {
    let size = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) return 'too large';
      add(chunk);
    }
    return 'whole';
  } finally {
    clearTimeout(timer);
  }
}
