import type { IncomingMessage } from 'node:http';
import { signatureCheckFor } from './request-signature.ts';

export interface SignedRequestAnswer {
  status: number;
  code: string;
  message: string;
}

export interface SignedRequestOptions {
  secret: string;
  maxBytes: number;
  /** What comes, before anybody knows whether it is signed: to be kept, never to be believed. */
  onChunk: (chunk: Buffer) => void;
}

const timeoutMs = 10_000;

/** Reads a request to its end; gives the answer that refuses it, or nothing when it is signed with the secret. */
export async function readSigned(
  request: IncomingMessage,
  { secret, maxBytes, onChunk }: SignedRequestOptions,
): Promise<SignedRequestAnswer | undefined> {
  if (request.method !== 'POST')
    return { status: 405, code: 'method_not_allowed', message: 'This address takes POST only.' };
  const check = signatureCheckFor(request.headers, secret);
  const unproven = { status: 401, code: 'invalid_signature', message: 'The request is not signed with our secret.' };
  if (!check) return unproven;
  // Before a byte is read: whoever says how much it is need not send it.
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return tooLarge(maxBytes);
  const add = (chunk: Buffer) => {
    check.add(chunk);
    onChunk(chunk);
  };
  const read = await readBody(request, maxBytes, add).catch(() => 'broken' as const);
  if (read === 'broken') return { status: 400, code: 'invalid_request', message: 'The body did not arrive whole.' };
  if (read === 'too large') return tooLarge(maxBytes);
  return check.holds() ? undefined : unproven;
}

const tooLarge = (maxBytes: number): SignedRequestAnswer => ({
  status: 413,
  code: 'payload_too_large',
  message: `A body has at most ${maxBytes} bytes here.`,
});

async function readBody(
  request: IncomingMessage,
  maxBytes: number,
  add: (chunk: Buffer) => void,
): Promise<'whole' | 'too large'> {
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
