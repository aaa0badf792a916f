import type { RoomKey } from '../../settings/room-keys.ts';

/** What we sign with, and what others may sign with while keys are changed. */
export interface KnownKeys extends RoomKey {
  otherKeys?: readonly RoomKey[] | undefined;
}

/**
 * What checks a signed token: a check for each key, of which the token says by its issuer which one it is. Room servers and SIP bridges are
 * replaced one by one, so that for an hour some sign with the key of before.
 */
export function byIssuer<Check>({ apiKey, apiSecret, otherKeys = [] }: KnownKeys, make: (key: RoomKey) => Check) {
  const checks = new Map([...otherKeys, { apiKey, apiSecret }].map((key) => [key.apiKey, { key, check: make(key) }]));
  /** Undefined where nobody has such a key. It proves nothing: what it gives checks. */
  return (token: string): { key: RoomKey; check: Check } | undefined => checks.get(issuerOf(token) ?? '');
}

function issuerOf(token: string): string | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    const issuer = typeof claims === 'object' && claims !== null && 'iss' in claims ? claims.iss : undefined;
    return typeof issuer === 'string' ? issuer : undefined;
  } catch {
    // No token of anybody's.
    return undefined;
  }
}
