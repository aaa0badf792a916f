import { createHmac, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { exportSPKI, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { readAccessToken, signAccessToken } from './access-token.ts';
import { type PeopleKey, readPeopleKeys } from './people-keys.ts';
import { readRefreshToken, writeRefreshToken } from './refresh-token.ts';

const text = (name: string, fill: number) => `${name}:${Buffer.alloc(32, fill).toString('base64')}`;
const keys = readPeopleKeys(text('k1', 1));
const others = readPeopleKeys(text('k1', 2));
const caller = { person: '0b8f9b5e-6f63-4b8e-9d5c-0d9b8f0a1c2d', signIn: '5d1f3c52-9a53-4a43-8a44-2f64a5e2b111' };
const good = await signAccessToken(keys, caller);
const [header = '', payload = '', mark = ''] = good.split('.');

const json = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Record<string, unknown>;
const coded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const now = () => Math.floor(Date.now() / 1000);

/** A token that our own key has signed, but for what is given. */
function ours(
  claims: Record<string, unknown>,
  head: Record<string, unknown> = {},
  { signing }: PeopleKey = keys.current,
) {
  const all = { ...json(payload), ...claims };
  const kept = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return new SignJWT(kept).setProtectedHeader({ ...json(header), ...head } as { alg: string }).sign(signing);
}

const hs256 = async (secret: string | Buffer) => {
  const head = coded({ ...json(header), alg: 'HS256' });
  return `${head}.${payload}.${createHmac('sha256', secret).update(`${head}.${payload}`).digest('base64url')}`;
};
const publicKey = keys.current.verifying;
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

/** By what is wrong with it. */
const forged: Record<string, () => string | Promise<string>> = {
  'no token at all': () => '',
  'two parts': () => `${header}.${payload}`,
  'four parts': () => `${good}.x`,
  'five parts': () => `${good}.x.y`,
  'the mark is missing': () => `${header}.${payload}.`,
  'the mark is cut': () => good.slice(0, -4),
  'the mark is of another token': async () => `${header}.${payload}.${(await ours({ iat: 1 })).split('.')[2]}`,
  'the mark is zero': () => `${header}.${payload}.${Buffer.alloc(64).toString('base64url')}`,
  none: () => `${coded({ ...json(header), alg: 'none' })}.${payload}.`,
  None: () => `${coded({ ...json(header), alg: 'None' })}.${payload}.${mark}`,
  'no algorithm': () => `${coded({ typ: 'at+jwt', kid: 'k1' })}.${payload}.${mark}`,
  'HS256 with the public key as PEM': async () => hs256(await exportSPKI(publicKey)),
  'HS256 with the public key as DER': () => hs256(publicKey.export({ type: 'spki', format: 'der' })),
  'HS256 with the raw public key': () => hs256(Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')),
  'HS256 with nothing': () => hs256(''),
  'RS256 of a key of their own': () =>
    new SignJWT(json(payload)).setProtectedHeader({ ...json(header), alg: 'RS256' }).sign(rsa),
  'a key of their own in the header': async () => {
    const { jwk } = { jwk: createPublicKey(others.current.signing).export({ format: 'jwk' }) };
    return ours({}, { jwk }, others.current);
  },
  'a key of their own under our name': () => ours({}, {}, others.current),
  'a name that is no key': () => ours({}, { kid: 'k9' }),
  'no name': () => ours({}, { kid: undefined }),
  'a name of the prototype': () => ours({}, { kid: '__proto__' }),
  'a key that is fetched': () => ours({}, { kid: undefined, jku: 'https://evil.example/keys' }),
  'a header it must understand': () => `${coded({ ...json(header), crit: ['exp'] })}.${payload}.${mark}`,
  'another kind of token': () => ours({}, { typ: 'JWT' }),
  'an ID token': () => ours({}, { typ: 'id_token+jwt' }),
  'no kind': () => ours({}, { typ: undefined }),
  'another person': () => `${header}.${coded({ ...json(payload), sub: caller.signIn })}.${mark}`,
  'another sign-in': () => `${header}.${coded({ ...json(payload), sid: caller.person })}.${mark}`,
  'a later end': () => `${header}.${coded({ ...json(payload), exp: now() + 99_999 })}.${mark}`,
  'another issuer': () => ours({ iss: 'evil' }),
  'no issuer': () => ours({ iss: undefined }),
  'another audience': () => ours({ aud: 'parley-rooms' }),
  'no audience': () => ours({ aud: undefined }),
  'it has expired': () => ours({ iat: now() - 700, exp: now() - 100 }),
  'it has just expired': () => ours({ iat: now() - 606, exp: now() - 6 }),
  'it never expires': () => ours({ exp: undefined }),
  'it is older than any may be': () => ours({ iat: now() - 700, exp: now() + 600 }),
  'it says not when it was made': () => ours({ iat: undefined }),
  'it is from tomorrow': () => ours({ iat: now() + 86_400, exp: now() + 87_000 }),
  'it is not yet good': () => ours({ nbf: now() + 600 }),
  'no person': () => ours({ sub: undefined }),
  'a person that is no id': () => ours({ sub: "' or true --" }),
  'no sign-in': () => ours({ sid: undefined }),
  'a sign-in that is a list': () => ours({ sid: [caller.signIn] }),
};

test('a token of ours says who calls, and holds nothing else', async () => {
  expect(await readAccessToken(keys, good)).toEqual(caller);
  expect(Object.keys(json(payload)).sort()).toEqual(['aud', 'exp', 'iat', 'iss', 'sid', 'sub']);
});

test.each(Object.keys(forged))('a token is refused: %s', async (what) => {
  const token = (await forged[what]?.()) ?? '';
  expect(await readAccessToken(keys, token)).toBeUndefined();
});

test('at least 40 kinds of forged and stale tokens are tried', () => {
  expect(Object.keys(forged).length).toBeGreaterThanOrEqual(40);
});

test('a new key signs, and what an older one has signed is good until it is taken away', async () => {
  const rotated = readPeopleKeys(`${text('k2', 3)},${text('k1', 1)}`);
  expect(await readAccessToken(rotated, good)).toEqual(caller);
  const fresh = await signAccessToken(rotated, caller);
  expect(await readAccessToken(rotated, fresh)).toEqual(caller);
  expect(await readAccessToken(readPeopleKeys(text('k2', 3)), good)).toBeUndefined();
});

test('a refresh token names its sign-in and generation; one that was changed names nothing', () => {
  const given = { signIn: caller.signIn, generation: 4 };
  const token = writeRefreshToken(keys, given);
  expect(readRefreshToken(keys, token)).toEqual(given);
  for (const made of [
    '',
    'rt_',
    token.replace('.4.', '.5.'),
    `${token}x`,
    token.slice(0, -1),
    token.replace('rt_k1', 'rt_k2'),
  ])
    expect([made, readRefreshToken(keys, made)]).toEqual([made, undefined]);
  expect(readRefreshToken(others, token)).toBeUndefined();
});

test('what one use of a key tells is no use for another', () => {
  const { databasePassword, current } = keys;
  const all = [databasePassword, current.refresh.toString('base64url'), current.signing.export({ format: 'jwk' }).d];
  expect(new Set(all).size).toBe(3);
});
