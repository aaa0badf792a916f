import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type CryptoKey, exportSPKI, importJWK, type JWK, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { begin, finish, type Identity } from '../../../services/core/account/open-id-connect/issuer.ts';
import { clientId, clientSecret, IdentityProvider } from '../../support/stand-ins/identity-provider.ts';

const redirectUri = 'http://127.0.0.1:7800/auth/oidc/callback';
const settings = () => ({ issuer: provider.issuer, clientId, clientSecret });
let provider: IdentityProvider;

beforeAll(async () => {
  provider = await IdentityProvider.start(redirectUri);
  provider.people.set('anna', { email: 'Anna@Example.com', email_verified: true, name: 'Anna' });
});

afterAll(() => provider?.[Symbol.asyncDispose]());

/** A whole sign-in; `change` what comes back to us. */
async function signIn(subject = 'anna', change: (callback: URL) => void = () => undefined): Promise<Identity> {
  const { url, ...begun } = await begin(settings(), redirectUri);
  const callback = await provider.visit(url.href, subject);
  change(callback);
  return finish(settings(), callback, begun);
}

async function forged(forge: (idToken: string) => string | Promise<string>): Promise<unknown> {
  provider.forge = forge;
  return signIn().finally(() => {
    provider.forge = undefined;
  });
}

/** An ID token as it is given in a sign-in of its own. */
async function given(): Promise<string> {
  let seen = '';
  await forged((token) => {
    seen = token;
    return token;
  });
  return seen;
}

const json = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Record<string, unknown>;
const coded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const now = () => Math.floor(Date.now() / 1000);
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

/** The same token, said otherwise, with the mark as it was. */
const unmarked = (claims: object) => (token: string) => {
  const [head, body, mark] = token.split('.');
  return `${head}.${coded({ ...json(body), ...claims })}.${mark}`;
};

/** By the issuer's own key: nothing is wrong but what it says. */
const said = (claims: Record<string, unknown>) => (token: string) => {
  const all = Object.entries({ ...json(token.split('.')[1]), ...claims });
  return provider.sign(Object.fromEntries(all.filter(([, value]) => value !== undefined)));
};

const headed = (head: object) => (token: string) => {
  const [given, body, mark] = token.split('.');
  return `${coded({ ...json(given), ...head })}.${body}.${mark}`;
};

const markedWith = (key: KeyObject, head: object) => (token: string) => {
  const [given, body] = token.split('.');
  return new SignJWT(json(body)).setProtectedHeader({ ...json(given), ...head } as { alg: string }).sign(key);
};

const hs256 = (secretOf: () => string | Promise<string>) => async (token: string) => {
  const head = coded({ ...json(token.split('.')[0]), alg: 'HS256' });
  const signed = `${head}.${token.split('.')[1]}`;
  return `${signed}.${createHmac('sha256', await secretOf())
    .update(signed)
    .digest('base64url')}`;
};

async function publicKeyOfIssuer(): Promise<string> {
  const { keys } = (await (await fetch(`${provider.issuer}/jwks`)).json()) as { keys: [JWK] };
  return exportSPKI((await importJWK(keys[0], 'RS256')) as CryptoKey);
}

let earlier = '';

/** By what is wrong with it. */
const kinds: Record<string, (idToken: string) => string | Promise<string>> = {
  'no token': () => '',
  'no mark': (token) => token.replace(/\.[^.]*$/, '.'),
  'half a mark': (token) => token.slice(0, -20),
  none: (token) => `${coded({ ...json(token.split('.')[0]), alg: 'none' })}.${token.split('.')[1]}.`,
  'none, with a mark': headed({ alg: 'none' }),
  'HS256 with the secret that we share': hs256(() => clientSecret),
  "HS256 with the issuer's public key": hs256(publicKeyOfIssuer),
  'a key of their own': markedWith(rsa, {}),
  'a key of their own that the header brings': markedWith(rsa, {
    jwk: createPublicKey(rsa).export({ format: 'jwk' }),
  }),
  'a key of their own that the header names': markedWith(rsa, { kid: 'theirs', jku: 'https://evil.example/jwks' }),
  'another algorithm': markedWith(ec, { alg: 'ES256' }),
  'a name that is no key': headed({ kid: 'key-0' }),
  'another person': unmarked({ sub: 'boss' }),
  'another address': unmarked({ email: 'boss@example.com', email_verified: true }),
  'another issuer': said({ iss: 'https://evil.example' }),
  'no issuer': said({ iss: undefined }),
  'another audience': said({ aud: 'somebody-else' }),
  'no audience': said({ aud: undefined }),
  'another audience beside us': said({ aud: [clientId, 'somebody-else'] }),
  'it was given to another party': said({ aud: [clientId, 'somebody-else'], azp: 'somebody-else' }),
  'no person': said({ sub: undefined }),
  'another nonce': said({ nonce: 'x' }),
  'no nonce': said({ nonce: undefined }),
  'it has expired': said({ exp: now() - 3_600 }),
  'it never expires': said({ exp: undefined }),
  'it says not when it was made': said({ iat: undefined }),
  'it is not yet good': said({ nbf: now() + 3_600 }),
  'it is of another sign-in': () => earlier,
};

test('whoever comes back is known by issuer and subject, with the address that is verified', async () => {
  const { issuer } = provider;
  expect(await signIn()).toEqual({ issuer, subject: 'anna', email: 'anna@example.com', name: 'Anna' });
  for (const isVerified of [false, 'true', undefined]) {
    provider.people.set('eve', {
      email: 'anna@example.com',
      ...(isVerified === undefined ? {} : { email_verified: isVerified }),
    });
    expect(await signIn('eve')).toMatchObject({ subject: 'eve', email: undefined });
  }
});

test.each(Object.keys(kinds))('an ID token is refused: %s', async (kind) => {
  // One whose mark holds, and which was good once.
  earlier ||= await given();
  await expect(forged((token) => kinds[kind]?.(token) ?? '')).rejects.toMatchObject({ code: 'sign_in_refused' });
});

test('what the issuer has marked itself, and says nothing wrong in, is taken', async () => {
  expect(await forged(said({}))).toMatchObject({ subject: 'anna' });
});

test('whoever comes back with another state, code or issuer is refused', async () => {
  for (const [name, value] of [
    ['state', 'x'],
    ['code', 'x'],
    ['iss', 'https://evil.example'],
  ] as const)
    await expect(signIn('anna', ({ searchParams }) => searchParams.set(name, value))).rejects.toMatchObject({
      code: 'sign_in_refused',
    });
  const cancelled = ({ searchParams }: URL) => {
    searchParams.delete('code');
    searchParams.set('error', 'access_denied');
  };
  await expect(signIn('anna', cancelled)).rejects.toMatchObject({ code: 'sign_in_cancelled' });
});

test('a code is worth nothing without what only we know of its sign-in', async () => {
  const { url, ...begun } = await begin(settings(), redirectUri);
  const callback = await provider.visit(url.href, 'anna');
  const stolen = await begin(settings(), redirectUri);
  await expect(finish(settings(), callback, { ...begun, verifier: stolen.verifier })).rejects.toMatchObject({
    code: 'sign_in_refused',
  });
});

test('the issuer may take another key at any time, and what its earlier key has marked is refused', async () => {
  expect(await signIn()).toMatchObject({ subject: 'anna' });
  const before = await given();
  await provider.rotate();
  expect(await signIn()).toMatchObject({ subject: 'anna' });
  await expect(forged(() => before)).rejects.toMatchObject({ code: 'sign_in_refused' });
});

test('an issuer that is away is told as such, and is asked again', async () => {
  const { url, ...begun } = await begin(settings(), redirectUri);
  const callback = await provider.visit(url.href, 'anna');
  await provider.goAway();
  await expect(begin(settings(), redirectUri)).rejects.toMatchObject({ status: 503, code: 'unavailable' });
  await expect(finish(settings(), callback, begun)).rejects.toMatchObject({ status: 503, code: 'unavailable' });
  await provider.comeBack();
  expect(await signIn()).toMatchObject({ subject: 'anna' });
});
