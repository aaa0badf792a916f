import { AccessToken, TokenVerifier } from 'livekit-server-sdk';
import { expect, test } from 'vitest';
import { byIssuer } from './known-keys.ts';

const [first, second] = [
  { apiKey: 'one', apiSecret: 'the first secret' },
  { apiKey: 'two', apiSecret: 'the second secret' },
];
const tokenOf = (apiKey: string, apiSecret: string) => new AccessToken(apiKey, apiSecret, { ttl: 60 }).toJwt();
const verifierOf = byIssuer(
  { ...second, otherKeys: [first] },
  ({ apiKey, apiSecret }) => new TokenVerifier(apiKey, apiSecret),
);

test.each([first, second])('a token is checked by the key that it names: $apiKey', async ({ apiKey, apiSecret }) => {
  const token = await tokenOf(apiKey, apiSecret);
  const known = verifierOf(token);
  expect(known?.key).toEqual({ apiKey, apiSecret });
  expect((await known?.check.verify(token))?.iss).toBe(apiKey);
});

test('a token that names a known key and is signed with another secret is refused', async () => {
  const token = await tokenOf(first.apiKey, second.apiSecret);
  await expect(verifierOf(token)?.check.verify(token)).rejects.toThrow();
});

test.each(['', 'no token', 'a.b.c', 'e30.bnVsbA.x', `e30.${Buffer.from('{"iss":7}').toString('base64url')}.x`])(
  'of %j nobody has the key',
  (token) => {
    expect(verifierOf(token)).toBeUndefined();
  },
);

test('of a key that nobody has there is no check', async () => {
  expect(verifierOf(await tokenOf('three', first.apiSecret))).toBeUndefined();
});
