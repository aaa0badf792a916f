import type { Request } from 'express';
import type { Channel } from '../../contract/session.ts';
import type { Caller } from '../../core/channels/request.ts';
import { sha256 } from '../../core/sessions/ids.ts';
import { accessOf } from './agent-access.ts';
import { isWidget } from './client.ts';
import { canonical, idempotencyKeyOf } from './idempotency-key.ts';

/** The request as `createSession` wants to know it. */
export function callerOf(req: Request, more: Pick<Caller, 'signature' | 'idempotency'>): Caller {
  const channel: Channel = isWidget(req) ? 'widget' : 'api';
  return { ...accessOf(req), channel, challenge: req.get('X-Parley-Challenge'), ...more };
}

/**
 * The Idempotency-Key with what it stands for. Its scope is the route and who may be given what it began: because an agent's key is
 * public, a page of one origin at one address, or whoever signs, or an address (docs/decisions/0037).
 * @throws Problem `invalid_request`
 */
export function idempotencyOf(
  req: Request,
  { route, fields, isSigned }: { route: string; fields: object; isSigned: boolean },
): Caller['idempotency'] {
  const key = idempotencyKeyOf(req);
  if (key === undefined) return undefined;
  const { origin, address } = accessOf(req);
  const page = origin === undefined ? [] : [origin];
  const place = isSigned && origin === undefined ? [] : [address];
  const scope = [route, key, ...page, ...place, ...(isSigned ? ['signed'] : [])];
  return { scope: scope.join('\n'), bodyHash: sha256(canonical(fields)) };
}
