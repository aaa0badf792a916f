import { createHmac } from 'node:crypto';
import { secretBytes } from '../../core/credentials/credentials.ts';

export interface SignedCall {
  /** The call's id, as sent in `Idempotency-Key`. */
  id: string;
  method: string;
  /** Path and query exactly as they are sent. */
  target: string;
  /** As sent; empty when the request has none. */
  body: string;
  at: Date;
}

/**
 * The `X-Signature` of a tool's request: `t=<unix seconds>,v1=<hex>`, HMAC-SHA256 over `t.ID.METHOD.target.body` with the 32
 * bytes behind `sk_…`. The id is part of it, so that an endpoint may rely on it to tell a repeated call from a new one, and
 * so that no request of ours is ever a signed request to our own API, which has none in that place. After a regeneration
 * there is one `v1` for each secret that still holds.
 */
export function signCall({ id, method, target, body, at }: SignedCall, secrets: readonly string[]): string {
  const seconds = Math.floor(at.getTime() / 1000);
  const signed = `${seconds}.${id}.${method}.${target}.${body}`;
  const signatures = secrets.map((secret) => createHmac('sha256', secretBytes(secret)).update(signed).digest('hex'));
  return [`t=${seconds}`, ...signatures.map((signature) => `v1=${signature}`)].join(',');
}
