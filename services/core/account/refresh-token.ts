import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Generation } from '../../store/tables/sign-ins.ts';
import type { PeopleKey, PeopleKeys } from './people-keys.ts';

const form = /^rt_([a-z0-9-]{1,32})\.([0-9a-f-]{36})\.(\d{1,9})\.([A-Za-z0-9_-]{43})$/;

/**
 * The refresh token of a generation of a sign-in, `rt_<key>.<sign-in>.<generation>.<mark>`. It is computed, not stored: whoever repeats a
 * refresh whose answer was lost is given the very same successor, and a copy of the database opens nothing.
 */
export const writeRefreshToken = ({ current }: PeopleKeys, given: Generation): string =>
  `rt_${current.name}.${given.signIn}.${given.generation}.${markOf(current, given)}`;

/** Which generation of which sign-in; undefined for what no key of ours has marked. Whether it is the newest the database knows. */
export function readRefreshToken({ byName }: PeopleKeys, token: string): Generation | undefined {
  const [, name = '', signIn = '', number, mark = ''] = form.exec(token) ?? [];
  const key = byName.get(name);
  if (!key) return undefined;
  const given = { signIn, generation: Number(number) };
  return timingSafeEqual(Buffer.from(mark), Buffer.from(markOf(key, given))) ? given : undefined;
}

const markOf = ({ refresh }: PeopleKey, { signIn, generation }: Generation): string =>
  createHmac('sha256', refresh).update(`${signIn}.${generation}`).digest('base64url');
