import { randomBytes } from 'node:crypto';
import type { Queryable } from '../../store/sql.ts';
import {
  insertOneUseToken,
  type Purpose,
  takeOneUseToken,
  withdrawOneUseTokens,
} from '../../store/tables/one-use-tokens.ts';
import { sha256 } from '../sessions/ids.ts';

const minuteMs = 60_000;

/** By its beginning a person who meets such a token somewhere can tell what it is. */
const kinds = {
  sign_in: { prefix: 'link_', validMs: 10 * minuteMs },
  reset_password: { prefix: 'reset_', validMs: 30 * minuteMs },
} as const satisfies Record<Purpose, { prefix: string; validMs: number }>;

/** Does for this person what its purpose says, once. An earlier one for the same purpose does it no more. */
export async function writeOneUseToken(q: Queryable, purpose: Purpose, person: string): Promise<string> {
  const { prefix, validMs } = kinds[purpose];
  const token = `${prefix}${randomBytes(32).toString('base64url')}`;
  await withdrawOneUseTokens(q, { purpose, person });
  await insertOneUseToken(q, { hash: sha256(token), purpose, person, validMs });
  return token;
}

/** The person of a token, which is no use afterwards; undefined for one that was used, is stale, or is none. */
export const usedToken = (q: Queryable, purpose: Purpose, token: string): Promise<string | undefined> =>
  takeOneUseToken(q, { hash: sha256(token), purpose });
