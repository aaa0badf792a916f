import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkFiles } from '../../../services/agent-files/check-files.ts';
import type { CompiledAgent } from '../../../services/agent-files/definition/compiled.ts';
import type { Credentials } from '../../../services/core/credentials/credentials.ts';
import { type FakeHost, startFakeHost } from '../../support/databases/fake-host.ts';
import { type Answer, ask, signatureHeader } from '../../support/people/rest.ts';
import { startWorld, type World } from '../../support/world/world.ts';

let world: World;
let host: FakeHost;
let credentials: Record<string, Credentials>;

/** An agent as its author writes it, with caps that have nothing to do with visitors out of the way. */
function written(agent: string, limits = ''): CompiledAgent {
  const text = `
name: Desk
prompt: Be kind.
interactionMode: TEXT
languages: [{ code: en, name: English }]
limits: { unjoinedSessions: 10000, requestsPerMinute: 100000, fleetShare: 100, ${limits} }
`;
  const { agents, faults } = checkFiles(new Map([[`${agent}.yaml`, text]]));
  const [version] = agents;
  if (!version) throw new Error(JSON.stringify(faults));
  return version.agent;
}

beforeAll(async () => {
  world = await startWorld({ hosts: 0, workers: 0, apis: 2, settings: { trustProxyHops: 1, logLevel: 'warn' } });
  credentials = await world.publish([
    written('plain'),
    written('office'),
    written('calls'),
    written('orders'),
    written('server', 'unsigned: { sessions: 4 }'),
    written('signing', 'unsigned: { sessions: 1 }, visitor: { sessions: 1 }'),
  ]);
  host = await startFakeHost(world.serviceUrl, { warmRooms: 400, voiceCapacity: 100 });
});

afterAll(async () => {
  await host?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

let turn = 0;

interface From {
  address: string;
  origin?: string;
  body?: object;
  headers?: Record<string, string>;
  path?: string;
}

/** Asked of the replicas by turns. */
function create(agent: string, { address, origin, body, headers, path = '/api/sessions' }: From): Promise<Answer> {
  turn += 1;
  const base = `http://127.0.0.1:${world.apis[turn % world.apis.length]?.port}`;
  return ask(base, 'POST', path, {
    key: credentials[agent]?.apiKey,
    headers: { 'x-forwarded-for': address, ...(origin === undefined ? {} : { origin }), ...headers },
    ...(body ? { body } : {}),
  });
}

const codes = (answers: readonly Answer[]) => {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const code = status === 200 ? 'ok' : String(body.code);
    counts[code] = (counts[code] ?? 0) + 1;
  }
  return counts;
};

const tokensOrSession = (index: number) => (index % 2 === 0 ? '/api/sessions' : '/api/tokens');
const office = '203.0.113.7';
const page = 'https://shop.example';

describe('visitors of a page', () => {
  test('an office with one address holds 30 conversations, exactly, however many are asked for at once over two replicas', async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        // Another Origin is no other visitor: whoever sends no page's own can write what they like there.
        create('office', {
          address: office,
          origin: `https://shop-${index % 3}.example`,
          path: tokensOrSession(index),
        }),
      ),
    );
    expect(codes(answers)).toEqual({ ok: 30, visitor_limit: 30 });
    const refused = answers.find(({ status }) => status !== 200);
    expect([refused?.status, refused?.body.message]).toEqual([429, expect.stringContaining('limits.visitor')]);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await create('office', { address: '203.0.113.8', origin: page })).status).toBe(200);
  });

  test('of these 10 may be spoken', async () => {
    const spoken = { interactionMode: 'VOICE' };
    const ten = Array.from({ length: 11 }, () => create('calls', { address: office, origin: page, body: spoken }));
    expect(codes(await Promise.all(ten))).toEqual({ ok: 10, visitor_limit: 1 });
    expect((await create('calls', { address: office, origin: page })).status).toBe(200);
  });
});

describe('requests without an Origin', () => {
  test('who guesses the Idempotency-Key of a server that does not sign is not given its session; that server is', async () => {
    const headers = { 'idempotency-key': 'order-number-000017' };
    const server = { address: '198.51.100.201', headers };
    const theirs = await create('orders', server);
    const guessed = await create('orders', { address: '203.0.113.66', headers });
    const again = await create('orders', server);
    expect([theirs.status, guessed.status, again.status]).toEqual([200, 200, 200]);
    expect(guessed.body.sessionId).not.toBe(theirs.body.sessionId);
    expect(again.body.sessionId).toBe(theirs.body.sessionId);
  });

  test('share one budget of the key, from whatever address: leaving the header out gains nothing', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => create('server', { address: `198.51.100.${index}` })),
    );
    expect(codes(answers)).toEqual({ ok: 4, visitor_limit: 8 });
    const refused = answers.find(({ status }) => status !== 200);
    expect(refused?.body.message).toContain('limits.unsigned');
    expect((await create('server', { address: '198.51.100.1', origin: page })).status).toBe(200);
  });

  test('have 100 conversations unless the agent says otherwise', async () => {
    const answers = await Promise.all(
      Array.from({ length: 110 }, (_, index) => create('plain', { address: `198.51.100.${index}` })),
    );
    expect(codes(answers)).toEqual({ ok: 100, visitor_limit: 10 });
  });

  test('do not count when they are signed, with or without an Origin', async () => {
    const signed = (at: number, origin?: string) => {
      const signature = { method: 'POST', path: '/api/sessions', body: '', at: Date.now() - at * 1_000 };
      const secret = credentials.signing?.apiSecret ?? '';
      const headers = { 'x-signature': signatureHeader(secret, signature) };
      return create('signing', { address: office, headers, ...(origin === undefined ? {} : { origin }) });
    };
    // Seconds apart: two that are equal would be one that was used.
    const answers = [await signed(10), await signed(20), await signed(30, page), await signed(40, page)];
    expect(codes(answers)).toEqual({ ok: 4 });
    const unsigned = [await create('signing', { address: office }), await create('signing', { address: office })];
    expect(codes(unsigned)).toEqual({ ok: 1, visitor_limit: 1 });
  });
});
