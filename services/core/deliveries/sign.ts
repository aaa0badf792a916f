import { createHmac } from 'node:crypto';
import { secretBytes } from '../credentials/credentials.ts';

/**
 * The headers of Standard Webhooks (standardwebhooks.com). Every secret signs, so that a receiver that still has the one
 * before a regeneration verifies too. `secrets` are `sk_…`; `at` is the time of this attempt.
 */
export function signatureHeaders(
  { id, body, at }: { id: string; body: string; at: Date },
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', secretBytes(secret)).update(signed).digest('base64')}`,
  );
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
