import type { Request } from 'express';
import { problems } from '../../contract/problems.ts';
import type { Acting } from '../../core/account/acting.ts';
import { sha256 } from '../../core/sessions/ids.ts';
import { tenantOf } from './person-access.ts';

const shortestKey = 16;
const longestKey = 255;

/** Undefined where the request has none. @throws Problem `invalid_request` */
export function idempotencyKeyOf(req: Request): string | undefined {
  const key = req.get('Idempotency-Key');
  if (key === undefined || (key.length >= shortestKey && key.length <= longestKey)) return key;
  throw problems.invalidRequest(`The Idempotency-Key header must have ${shortestKey} to ${longestKey} characters.`);
}

/** Who acts, with the Idempotency-Key under which they do it once: of theirs alone, and of this very path. @throws Problem `tenant_not_found`, `invalid_request` */
export function actingOnce(req: Request, fields: object): Acting {
  const acting = tenantOf(req);
  const key = idempotencyKeyOf(req);
  if (key === undefined) return acting;
  const scopeHash = sha256(acting.person, req.method, req.path, key);
  return { ...acting, request: { scopeHash, bodyHash: sha256(canonical(fields)) } };
}

/** The same fields give the same text, in whatever order they came; null is a field left out. */
export const canonical = (fields: object): string =>
  JSON.stringify(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined && value !== null)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
