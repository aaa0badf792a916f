import { keyPattern } from '../../core/credentials/credentials.ts';

/** What an Authorization header holds, as far as its form tells. */
export type Bearer =
  | { kind: 'key'; key: string }
  | { kind: 'secret' }
  | { kind: 'user_token' }
  | { kind: 'malformed_key' }
  | { kind: 'none' };

const bearerPattern = /^bearer +(\S+) *$/i;
const jwtPattern = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/;

export function readBearer(authorization: string | undefined): Bearer {
  const text = bearerPattern.exec(authorization ?? '')?.[1];
  if (text === undefined) return { kind: 'none' };
  if (keyPattern.test(text)) return { kind: 'key', key: text };
  if (text.startsWith('sk_')) return { kind: 'secret' };
  if (text.startsWith('pk_')) return { kind: 'malformed_key' };
  return jwtPattern.test(text) && isJoseHeader(text) ? { kind: 'user_token' } : { kind: 'none' };
}

/** A user token is a JWT, and a JWT begins with a JSON object that names an algorithm. */
function isJoseHeader(token: string): boolean {
  try {
    const header: unknown = JSON.parse(Buffer.from(token.slice(0, token.indexOf('.')), 'base64url').toString('utf8'));
    return typeof header === 'object' && header !== null && 'alg' in header;
  } catch {
    return false;
  }
}
