import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkChallenge } from '../../../scripts/cli/doctor/checks/challenge.ts';
import { missingSecretIn } from '../../../services/core/challenges/secrets.ts';
import { challengeVerifier } from '../../../services/core/challenges/verify.ts';
import { listShownAgents } from '../../../services/core/insight/agents.ts';
import { guardedFetch } from '../../../services/process/outbound/guarded-fetch.ts';
import { openDatabase } from '../../../services/store/database.ts';
import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../../support/eventually.ts';
import type { Customer } from '../../support/people/customer.ts';
import { type ChallengeProvider, startChallengeProvider } from '../../support/stand-ins/challenge-provider.ts';
import { startWorld, type World } from '../../support/world/world.ts';

let provider: ChallengeProvider;
let world: World;
let customer: Customer;

beforeAll(async () => {
  provider = await startChallengeProvider();
  world = await startWorld({
    agents: join(import.meta.dirname, 'guarded-agents'),
    settings: { challenges: { turnstile: provider.secret, verifyAt: provider.url } },
    workers: 0,
  });
  customer = await world.customer('guarded');
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
});

const ask = async (headers: Record<string, string>, path = '/api/sessions', of = customer, body = {}) => {
  const response = await of.call('POST', path, { body, headers });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const solved = () => ({ 'X-Parley-Challenge': provider.solved() });
const sessions = async () =>
  (await world.admin.query<{ count: number }>(sql`select count(*)::integer as count from sessions`))[0]?.count;

describe('an agent that asks for a challenge', () => {
  test('makes sessions and tokens for whoever solved one, with or without an Origin, and nothing for others', async () => {
    const before = await sessions();
    for (const headers of [{}, { Origin: 'https://shop.example' }, { 'X-Parley-Challenge': 'made up' }])
      for (const path of ['/api/sessions', '/api/tokens'])
        expect(await ask(headers, path)).toMatchObject({ status: 403, body: { code: 'challenge_required' } });
    expect(await sessions()).toBe(before);
    expect(await ask(solved())).toMatchObject({ status: 200 });
    expect(await ask({ ...solved(), Origin: 'https://shop.example' }, '/api/tokens')).toMatchObject({ status: 200 });
  });

  test('takes an answer once, and a repetition of the request that it was for', async () => {
    const answer = solved();
    const once = { ...answer, 'Idempotency-Key': 'the-very-same-request' };
    const first = await ask(once);
    expect(first.status).toBe(200);
    expect((await ask(once)).body.sessionId).toBe(first.body.sessionId);
    expect(await ask(answer)).toMatchObject({ status: 403, body: { code: 'challenge_required' } });
  });

  test('is not passed by the key of a request that was made more than 24 hours ago, forgotten or not', async () => {
    const once = { 'Idempotency-Key': 'the-request-of-yesterday' };
    expect(await ask({ ...once, ...solved() })).toMatchObject({ status: 200 });
    expect(await ask(once)).toMatchObject({ status: 200 });
    await world.admin.query(sql`update idempotency_keys set created_at = created_at - interval '25 hours'`);
    expect(await ask(once)).toMatchObject({ status: 403, body: { code: 'challenge_required' } });
  });

  test('takes the answer again of a request from which nothing came, until something does', async () => {
    const answer = solved();
    const asked = provider.verdicts.length;
    for (const language of ['xx', 'yy'])
      expect(await ask(answer, '/api/sessions', customer, { language })).toMatchObject({ status: 400 });
    expect(await ask(answer)).toMatchObject({ status: 200 });
    expect(provider.verdicts.slice(asked)).toEqual(['passed']);
    expect(await ask(answer)).toMatchObject({ status: 403, body: { code: 'challenge_required' } });
  });

  test('refuses or admits, as its file says, while nobody can verify', async () => {
    provider.manner = 'server-error';
    const lenient = await world.customer('lenient');
    expect(await ask(solved())).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(await ask(solved(), '/api/sessions', lenient)).toMatchObject({ status: 200 });
    expect(await ask({}, '/api/sessions', lenient)).toMatchObject({ status: 403 });
    provider.manner = 'works';
  });
});

describe('a secret that is missing', () => {
  const doctorOf = async (agent: string) =>
    checkChallenge({ url: world.baseUrl, key: (await world.credentials(agent)).apiKey });

  test('is told as the API starts, by the doctor, and where people see their agents', async () => {
    // The world's first API stood before its agents were there.
    const started = await world.startApi();
    const warning = await eventually('it is warned of', () =>
      started
        .output()
        .split('\n')
        .find((line) => line.includes('whose secret is not set here')),
    );
    expect(warning).toContain('PARLEY_HCAPTCHA_SECRET');
    expect(await doctorOf('unset')).toMatchObject({
      state: 'failed',
      says: expect.stringContaining('PARLEY_HCAPTCHA_SECRET'),
    });
    const db = openDatabase(world.serviceUrl);
    const missingSecret = missingSecretIn({ turnstile: provider.secret });
    const { items } = await listShownAgents({ db, missingSecret }, world.tenant, { limit: 10 });
    await db.close();
    expect(Object.fromEntries(items.map(({ agent, challenge }) => [agent, challenge?.missing]))).toEqual({
      guarded: null,
      lenient: null,
      unset: 'PARLEY_HCAPTCHA_SECRET',
    });
  });

  test('is not told where the provider knows it: it refuses what it has given to nobody', async () => {
    expect(await doctorOf('guarded')).toMatchObject({ check: 'challenge', state: 'ok' });
    provider.manner = 'server-error';
    expect(await doctorOf('guarded')).toMatchObject({ state: 'failed' });
    provider.manner = 'works';
  });
});

const turnstile = { provider: 'turnstile', siteKey: '0x4AAA' } as const;
const verifier = (secret: string | undefined, verifyAt = provider.url) =>
  challengeVerifier({ turnstile: secret, verifyAt }, { guardedFetch, allowLoopback: true });

describe('an answer to a challenge', () => {
  test('passes once', async () => {
    const verify = verifier(provider.secret);
    const answer = provider.solved();
    expect(await verify(turnstile, answer)).toBe('passed');
    expect(await verify(turnstile, answer)).toBe('refused');
    expect(provider.verdicts.slice(-2)).toEqual(['passed', 'timeout-or-duplicate']);
  });

  test("is verified with hCaptcha's own secret, for the site that it was given to", async () => {
    const settings = { turnstile: 'another', hcaptcha: provider.secret, verifyAt: provider.url };
    const verify = challengeVerifier(settings, { guardedFetch, allowLoopback: true });
    expect(await verify({ provider: 'hcaptcha', siteKey: 'our-site' }, provider.solved())).toBe('passed');
    expect(provider.siteKeys.at(-1)).toBe('our-site');
  });

  test('that nobody was given is refused', async () => {
    expect(await verifier(provider.secret)(turnstile, 'made up')).toBe('refused');
  });

  test('cannot be verified with a wrong secret, or with none', async () => {
    expect(await verifier('another')(turnstile, provider.solved())).toBe('not_set_up');
    expect(await verifier(undefined)(turnstile, provider.solved())).toBe('not_set_up');
  });

  test.each(['internal-error', 'server-error', 'page', 'silent'] as const)(
    'is neither taken nor refused while the provider is down: %s',
    async (manner) => {
      provider.manner = manner;
      expect(await verifier(provider.secret)(turnstile, provider.solved())).toBe('down');
      provider.manner = 'works';
    },
  );

  test('is not verified where nobody listens, or where the address leads inside', async () => {
    expect(await verifier(provider.secret, 'http://127.0.0.1:9/')(turnstile, 'x')).toBe('down');
    const outside = challengeVerifier(
      { turnstile: 'x', verifyAt: provider.url },
      { guardedFetch, allowLoopback: false },
    );
    expect(await outside(turnstile, 'x')).toBe('down');
  });
});
