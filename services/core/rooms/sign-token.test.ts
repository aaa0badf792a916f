import { AccessToken, TokenVerifier, TrackSource } from 'livekit-server-sdk';
import { expect, test } from 'vitest';
import { systemClock } from '../../process/clock.ts';
import { tokenSigner } from './sign-token.ts';

const server = { apiKey: 'a-key', apiSecret: 'a secret of the room server, ünïcode too' };
const claimsOf = (token: string) => new TokenVerifier(server.apiKey, server.apiSecret).verify(token);
const grant = {
  room: 'r',
  roomJoin: true,
  canSubscribe: true,
  canPublish: true,
  canPublishData: true,
  canUpdateOwnMetadata: true,
} as const;

test("a person's token holds what the room server's own library puts into one", async () => {
  const theirs = new AccessToken(server.apiKey, server.apiSecret, { identity: 'person', ttl: 600 });
  theirs.addGrant({ ...grant, canPublishSources: [TrackSource.MICROPHONE, TrackSource.CAMERA] });
  const ours = tokenSigner(
    server,
    systemClock,
  )({
    identity: 'person',
    ttlSeconds: 600,
    grant: { ...grant, canPublishSources: ['microphone', 'camera'] },
  });
  expect(await timeless(ours)).toEqual(await timeless(await theirs.toJwt()));
});

test("an agent's token does as well", async () => {
  const theirs = new AccessToken(server.apiKey, server.apiSecret, { identity: 'agent', ttl: 60 });
  theirs.kind = 'agent';
  theirs.addGrant({ ...grant, agent: true });
  const ours = tokenSigner(
    server,
    systemClock,
  )({
    identity: 'agent',
    kind: 'agent',
    ttlSeconds: 60,
    grant: { ...grant, agent: true },
  });
  expect(await timeless(ours)).toEqual(await timeless(await theirs.toJwt()));
});

test('a token made with another secret is refused', async () => {
  const forged = tokenSigner(
    { ...server, apiSecret: 'another secret' },
    systemClock,
  )({
    identity: 'person',
    ttlSeconds: 600,
    grant,
  });
  await expect(claimsOf(forged)).rejects.toThrow();
});

test('a token begins and ends by the clock that is given, whatever the machine believes', () => {
  const at = new Date('2026-11-22T12:00:20.900Z');
  const token = tokenSigner(server, { now: () => at })({ identity: 'person', ttlSeconds: 600, grant });
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const seconds = Date.parse('2026-11-22T12:00:20Z') / 1_000;
  expect(claims).toMatchObject({ nbf: seconds, exp: seconds + 600 });
});

/** The claims, with the token's life in the place of its beginning and its end. */
async function timeless(token: string): Promise<Record<string, unknown>> {
  const { nbf = 0, exp = 0, ...claims } = await claimsOf(token);
  return { ...claims, lives: exp - nbf };
}
