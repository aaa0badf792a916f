import { once } from 'node:events';
import type { Request, Response } from 'express';
import { isAtLeast, type Role } from '../../contract/roles.ts';
import type { Caller } from '../../core/account/access-token.ts';
import type { RightsCache } from '../../core/account/rights.ts';

/** Whose rights an answer that takes its time depends on. */
export interface LastingRights {
  caller: Caller;
  tenant: string;
  least: Role;
}

/** With the 5 s for which rights are remembered a removal holds within 7 s. */
const lookEveryMs = 2_000;

/**
 * Fires when an answer has to end: its client has gone, this process stops, or the person may not have it any more. Until then their
 * rights are looked at every 2 s.
 */
export function untilItMustEnd(
  res: Response,
  { rights, stopping }: { rights: RightsCache; stopping: AbortSignal },
  { caller, tenant, least }: LastingRights,
): AbortSignal {
  const ended = new AbortController();
  const look = async () => {
    const now = await rights.of(caller);
    const role = now?.roles.get(tenant);
    if (role === undefined || !isAtLeast(role, least)) ended.abort();
  };
  // A database that is away can't be asked: after a look that failed nobody is shown anything more.
  const timer = setInterval(() => void look().catch(() => ended.abort()), lookEveryMs);
  const signal = AbortSignal.any([ended.signal, stopping]);
  res.once('close', () => {
    clearInterval(timer);
    ended.abort();
  });
  return signal;
}

/** Writes, and waits until it has gone out where the client reads slowly. False once the answer must end. */
export async function writeOut(res: Response, text: string, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  if (res.write(text)) return true;
  try {
    await once(res, 'drain', { signal });
    return true;
  } catch {
    // It was aborted while it waited.
    return false;
  }
}

/** What is cut off is seen to be not whole: no end is written. */
export function cutOff(req: Request): void {
  req.socket.destroy();
}
