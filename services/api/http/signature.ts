import { createHmac, timingSafeEqual } from 'node:crypto';

/** docs/call/rest.md, "Signed requests": at most this old (or, by the clocks' difference, this far ahead). */
const maxAgeMs = 5 * 60_000;
const headerPattern = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/i;

export interface SignedRequest {
  /** The X-Signature header. */
  header: string;
  method: string;
  /** Path and query exactly as they were sent. */
  target: string;
  body: Buffer;
}

export type SignatureCheck = { ok: true; signature: Buffer } | { ok: false; why: string };

/** Whether one of the secrets (32 bytes each) signed this request, recently. The signature's bytes serve to accept it only once. */
export function checkSignature(
  { header, method, target, body }: SignedRequest,
  secrets: readonly Buffer[],
  now: Date,
): SignatureCheck {
  const [, seconds, hex] = headerPattern.exec(header.trim()) ?? [];
  if (!seconds || !hex) return { ok: false, why: 'it does not look like t=<unix seconds>,v1=<64 hex digits>' };
  if (Math.abs(now.getTime() - Number(seconds) * 1000) > maxAgeMs)
    return { ok: false, why: 'its time is more than 5 minutes away from ours' };
  const given = Buffer.from(hex, 'hex');
  const holds = secrets.some((secret) => timingSafeEqual(given, sign(secret, seconds, { method, target, body })));
  return holds
    ? { ok: true, signature: given }
    : { ok: false, why: 'it was not made with this agent\'s secret over "t.METHOD.path.body"' };
}

/** HMAC-SHA256 of `t.METHOD.path.body`. */
export function sign(secret: Buffer, seconds: string, { method, target, body }: Omit<SignedRequest, 'header'>): Buffer {
  return createHmac('sha256', secret).update(`${seconds}.${method}.${target}.`).update(body).digest();
}
