import { jwtVerify, SignJWT } from 'jose';
import type { PeopleKeys } from './people-keys.ts';

/** Who calls, and by which sign-in. Roles are not in it: they are looked up with each request. */
export interface Caller {
  person: string;
  signIn: string;
}

export const accessSeconds = 600;

const issuer = 'parley';
const audience = 'parley-account';
/** As RFC 9068 names access tokens: no other JWT that this key may sign one day is taken for one. */
const type = 'at+jwt';
const algorithm = 'EdDSA';
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const signAccessToken = ({ current }: PeopleKeys, { person, signIn }: Caller): Promise<string> =>
  new SignJWT({ sid: signIn })
    .setProtectedHeader({ alg: algorithm, typ: type, kid: current.name })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(person)
    .setIssuedAt()
    .setExpirationTime(`${accessSeconds} s`)
    .sign(current.signing);

/** Who calls; undefined for a token that is not ours, not whole, or stale. Replicas' clocks may differ by `toleranceSeconds`. */
export async function readAccessToken(keys: PeopleKeys, token: string): Promise<Caller | undefined> {
  try {
    const { payload } = await jwtVerify(token, ({ kid }) => verifyingKey(keys, kid), {
      ...{ issuer, audience, typ: type, algorithms: [algorithm], maxTokenAge: accessSeconds },
      clockTolerance: toleranceSeconds,
      requiredClaims: ['sub', 'sid', 'iat', 'exp'],
    });
    return callerIn(payload);
  } catch {
    // Whatever is wrong with it, its bearer is told the same.
    return undefined;
  }
}

const toleranceSeconds = 5;

function verifyingKey({ byName }: PeopleKeys, name: string | undefined) {
  const key = byName.get(name ?? '');
  if (!key) throw new Error('no key of this name');
  return key.verifying;
}

const callerIn = ({ sub, sid }: { sub?: string; sid?: unknown }): Caller | undefined =>
  sub !== undefined && typeof sid === 'string' && uuid.test(sub) && uuid.test(sid)
    ? { person: sub, signIn: sid }
    : undefined;
