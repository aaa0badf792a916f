import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setAgentEnabled } from '../../../services/core/agents/publish.ts';
import { type Credentials, regenerateKey } from '../../../services/core/credentials/credentials.ts';
import { makeVault } from '../../../services/core/credentials/vault.ts';
import { openDatabase } from '../../../services/store/database.ts';
import { makeNotifier } from '../../../services/store/notify.ts';
import { sql } from '../../../services/store/sql.ts';
import { upsertTenant } from '../../../services/store/tables/tenants.ts';
import { type FakeHost, startFakeHost } from '../../support/databases/fake-host.ts';
import { eventually } from '../../support/eventually.ts';
import { type Answer, type Asked, ask, signatureHeader } from '../../support/people/rest.ts';
import { type AgentChoices, compiledAgent } from '../../support/world/compiled-agent.ts';
import { masterKeys } from '../../support/world/master-keys.ts';
import { startWorld, type World } from '../../support/world/world.ts';

const caps = {
  concurrentSessions: 1_000_000,
  tokensPerDay: 1_000_000,
  unjoinedSessions: 1_000_000,
  requestsPerMinute: 1_000_000,
};
const sessions = { systemPrompt: 'server' as const, requireSignature: false, camera: false, microphone: false };
const widget = { mode: 'text' as const, position: 'bottom-left' as const, color: '#112233', greeting: { '*': 'Hi!' } };

const cast: AgentChoices[] = [
  { agent: 'desk' },
  { agent: 'other' },
  { agent: 'listed', settings: { allowedOrigins: ['https://shop.example'] } },
  { agent: 'no-pages', settings: { allowedOrigins: [] } },
  { agent: 'signed-only', settings: { sessions: { ...sessions, requireSignature: true } } },
  { agent: 'signed-prompt', settings: { sessions: { ...sessions, systemPrompt: 'signed' } } },
  { agent: 'own-prompt', settings: { sessions: { ...sessions, systemPrompt: 'never' } } },
  { agent: 'one-at-a-time', settings: { caps: { ...caps, concurrentSessions: 1 } } },
  { agent: 'two-at-a-time', settings: { caps: { ...caps, concurrentSessions: 2 } } },
  { agent: 'two-waiting', settings: { caps: { ...caps, unjoinedSessions: 2 } } },
  { agent: 'no-minutes', settings: { caps: { ...caps, minutesPerMonth: 0 } } },
  { agent: 'no-tokens', settings: { caps: { ...caps, tokensPerDay: 0 } } },
  { agent: 'five-a-minute', settings: { caps: { ...caps, requestsPerMinute: 5 } } },
  { agent: 'on-pages', settings: { widget, caps: { ...caps, requestsPerMinute: 5 } } },
  { agent: 'speaking', definition: { interactionMode: 'VOICE' } },
  { agent: 'switched-off' },
  { agent: 'regenerated' },
];

let world: World;
let host: FakeHost;
let credentials: Record<string, Credentials>;
let foreign: Credentials;

const keyOf = (agent: string) => credentials[agent]?.apiKey;
const secretOf = (agent: string) => credentials[agent]?.apiSecret ?? '';
const as = (agent: string, method: string, path: string, asked: Asked = {}) =>
  ask(world.baseUrl, method, path, { key: keyOf(agent), ...asked });
const create = (agent: string, asked: Asked = {}) => as(agent, 'POST', '/api/sessions', asked);

async function createdId(agent = 'desk'): Promise<string> {
  const answer = await create(agent);
  expect(answer.status, answer.text).toBe(200);
  return String(answer.body.sessionId);
}

const roomOf = async (id: string) => {
  const [row] = await world.admin.query<{ room_name: string }>(sql`select room_name from sessions where id = ${id}`);
  return row?.room_name ?? '';
};

const countSessions = async () => {
  const [row] = await world.admin.query<{ n: number }>(sql`select count(*)::integer as n from sessions`);
  return row?.n;
};

function expectProblem(answer: Answer, status: number, code: string): void {
  expect([answer.status, answer.body.code], answer.text).toEqual([status, code]);
  expect(answer.body.message).toEqual(expect.stringMatching(/^.{10,}[.?]$/));
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
}

beforeAll(async () => {
  world = await startWorld({ hosts: 0, workers: 0, apis: 2 });
  const deleted = compiledAgent({ agent: 'deleted' });
  const agents = cast.map(compiledAgent);
  const gone = await world.publish([...agents, deleted]);
  credentials = { ...gone, ...(await world.publish(agents)) };
  const { id } = await upsertTenant(world.admin, { slug: 'elsewhere', name: 'Elsewhere', features: {} });
  foreign = (await world.publish([compiledAgent()], id)).desk as Credentials;
  host = await startFakeHost(world.serviceUrl, { warmRooms: 300 });
  const db = openDatabase(world.serviceUrl);
  const change = { tenant: world.tenant, agent: 'switched-off', enabled: false };
  await setAgentEnabled({ db, notifier: makeNotifier(db) }, change);
  await db.close();
});

afterAll(async () => {
  await host?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

describe('credentials', () => {
  const jwt = `${Buffer.from('{"alg":"RS256","typ":"JWT"}').toString('base64url')}.e30.c2ln`;
  const unknownKey = `pk_${'A'.repeat(43)}`;

  test.each([
    ['none', undefined, 'invalid_api_key'],
    ['malformed', 'Bearer pk_short', 'invalid_api_key'],
    ['unknown', `Bearer ${unknownKey}`, 'invalid_api_key'],
    ['another scheme', 'Basic cGs6cGs=', 'invalid_api_key'],
    ['a word', 'Bearer hello', 'invalid_api_key'],
    ['a user token', `Bearer ${jwt}`, 'wrong_credential_type'],
    ['an agent secret', `Bearer sk_${'A'.repeat(43)}`, 'wrong_credential_type'],
  ])('on agent routes, %s is refused with the code that says why', async (_name, authorization, code) => {
    const headers = authorization === undefined ? {} : { authorization };
    for (const [method, path] of [
      ['GET', '/api/sessions/languages'],
      ['POST', '/api/sessions'],
      ['POST', '/api/tokens'],
      ['GET', '/api/sessions/s_x'],
      ['POST', '/api/sessions/s_x/end'],
      ['GET', '/api/sessions/config/r_x'],
      ['POST', '/api/sessions/transcription'],
    ] as const) {
      const answer = await ask(world.baseUrl, method, path, { headers });
      expectProblem(answer, 401, code);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  test('the real secret as a bearer is refused, and the answer says to regenerate it', async () => {
    const answer = await ask(world.baseUrl, 'POST', '/api/sessions', { key: secretOf('desk') });
    expectProblem(answer, 401, 'wrong_credential_type');
    expect(answer.body.message).toMatch(/regenerate/);
  });

  test('the key of a deleted or disabled agent says so', async () => {
    expectProblem(await create('deleted'), 401, 'agent_disabled');
    await eventually('the agent is off', async () => (await create('switched-off')).body.code === 'agent_disabled');
  });

  test('account routes refuse agent credentials as the wrong kind, and everything else as invalid', async () => {
    for (const path of ['/api/tenants', '/api/tenants/1/prompts', '/api/me', '/api/capabilities', '/auth/session']) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        expectProblem(await as('desk', method, path), 401, 'wrong_credential_type');
        expectProblem(await ask(world.baseUrl, method, path, { key: secretOf('desk') }), 401, 'wrong_credential_type');
        expectProblem(await ask(world.baseUrl, method, path, { key: jwt }), 401, 'invalid_token');
        expectProblem(await ask(world.baseUrl, method, path), 401, 'invalid_token');
      }
    }
  });

  test('account routes do not open themselves to pages of other sites', async () => {
    const answer = await as('desk', 'GET', '/api/capabilities', { headers: { origin: 'https://shop.example' } });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('a regenerated key without grace stops working on every replica', async () => {
    const [first, second] = world.apis.map(({ port }) => `http://127.0.0.1:${port}`);
    const key = keyOf('regenerated');
    const status = async (base = '') => (await ask(base, 'GET', '/api/sessions/languages', { key })).status;
    expect([await status(first), await status(second)]).toEqual([200, 200]);
    const db = openDatabase(world.serviceUrl);
    const vault = makeVault(masterKeys);
    const owner = { tenant: world.tenant, agent: 'regenerated' };
    const fresh = await regenerateKey({ db, vault, notifier: makeNotifier(db) }, owner, 0);
    await eventually(
      'both refuse the old key',
      async () => (await status(first)) === 401 && (await status(second)) === 401,
    );
    expect((await ask(world.baseUrl, 'GET', '/api/sessions/languages', { key: fresh })).status).toBe(200);
    await db.close();
  });
});

describe('routes and methods', () => {
  test('an unknown route is 404 before anybody asks for a credential', async () => {
    for (const path of [
      '/',
      '/api',
      '/api/session',
      '/api/sessions/a/b/c',
      '/metrics',
      '/livez',
      '/api/sessions/%ff',
      '/api/tenants/1/nothing',
      '/api/capabilities/more',
    ]) {
      expectProblem(await ask(world.baseUrl, 'GET', path), 404, 'not_found');
    }
  });

  test.each([
    ['PUT', '/api/sessions', 'POST'],
    ['GET', '/api/sessions', 'POST'],
    ['POST', '/api/sessions/languages', 'GET, HEAD'],
    ['GET', '/api/sessions/transcription', 'POST'],
    ['DELETE', '/api/sessions/s_x', 'GET, HEAD'],
    ['GET', '/api/sessions/s_x/end', 'POST'],
    ['PATCH', '/api/tokens', 'POST'],
    ['POST', '/api/sessions/config/r_x', 'GET, HEAD'],
    ['POST', '/health', 'GET, HEAD'],
  ])('%s %s is 405 with Allow', async (method, path, allow) => {
    const answer = await as('desk', method, path);
    expectProblem(answer, 405, 'method_not_allowed');
    expect(answer.headers.get('allow')).toBe(allow);
    if (path !== '/health') expectProblem(await ask(world.baseUrl, method, path), 401, 'invalid_api_key');
  });

  test('HEAD answers like GET without a body, and OPTIONS names the methods', async () => {
    const head = await as('desk', 'HEAD', '/api/sessions/languages');
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('etag')).toMatch(/^"/);
    const options = await ask(world.baseUrl, 'OPTIONS', '/api/tokens');
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'POST, OPTIONS']);
    expectProblem(await ask(world.baseUrl, 'OPTIONS', '/api/nothing'), 404, 'not_found');
  });

  test('health needs no credential', async () => {
    const answer = await ask(world.baseUrl, 'GET', '/health');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ status: 'ok', timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) });
  });
});

describe('pages of other sites', () => {
  const origin = 'https://elsewhere.example';

  test('a preflight is answered for any origin and costs nothing', async () => {
    for (const agent of ['desk', 'no-pages']) {
      const answer = await as(agent, 'OPTIONS', '/api/sessions', {
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type,idempotency-key',
        },
      });
      expect(answer.status).toBe(204);
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
      expect(answer.headers.get('access-control-allow-methods')).toContain('POST');
      expect(answer.headers.get('access-control-allow-headers')).toContain('idempotency-key');
      expect(answer.headers.get('ratelimit')).toBeNull();
    }
  });

  test('an agent without a list answers any page, readable for it', async () => {
    const answer = await create('desk', { headers: { origin } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('access-control-expose-headers')).toMatch(/X-Request-Id.*Retry-After/);
  });

  test('an origin that is not listed gets a 403 that its page can read', async () => {
    for (const agent of ['listed', 'no-pages']) {
      const answer = await create(agent, { headers: { origin } });
      expectProblem(answer, 403, 'origin_not_allowed');
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    }
    expect((await create('listed', { headers: { origin: 'https://shop.example' } })).status).toBe(200);
    expect((await create('no-pages')).status).toBe(200);
  });
});

describe('GET /api/sessions/languages', () => {
  const listed = (availableVoices: unknown[]) => ({
    voiceAgentKind: 'pipeline',
    languages: ['en', 'de-DE'],
    languageConfigs: [
      { code: 'en', name: 'English', availableVoices },
      { code: 'de-DE', name: 'Deutsch', availableVoices: [] },
    ],
    defaultLanguage: 'en',
  });
  const read = async () => (await as('desk', 'GET', '/api/sessions/languages')).body;

  test('lists what the agent is configured for, and no voice where no host speaks', async () => {
    expect(await read()).toEqual(listed([]));
  });

  test('lists a voice that a host may speak with, also when that host is away; then a request for it is refused', async () => {
    await using speaker = await startFakeHost(world.serviceUrl, { voiceCapacity: 1 });
    const amy = { id: 'amy', name: 'Amy', gender: 'female', default: true };
    await eventually(
      `${speaker.id} is known`,
      async () => JSON.stringify(await read()) === JSON.stringify(listed([amy])),
    );
    await speaker[Symbol.asyncDispose]();
    const spoken = { interactionMode: 'VOICE', voiceId: 'amy' };
    const refused = await eventually('it is known to be gone', async () => {
      const answer = await create('desk', { body: spoken });
      return answer.status === 503 && answer;
    });
    expectProblem(refused, 503, 'voice_unavailable');
    expect(await read()).toEqual(listed([amy]));
  });

  test('may be cached for a minute and is 304 afterwards', async () => {
    const { headers } = await as('desk', 'GET', '/api/sessions/languages');
    expect(headers.get('cache-control')).toBe('private, max-age=60');
    expect(headers.get('vary')).toContain('Origin');
    const etag = headers.get('etag') ?? '';
    const again = await as('desk', 'GET', '/api/sessions/languages', { headers: { 'if-none-match': etag } });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
    expect(again.headers.get('cache-control')).toBe('private, max-age=60');
    const changed = await as('desk', 'GET', '/api/sessions/languages', { headers: { 'if-none-match': '"old"' } });
    expect(changed.status).toBe(200);
  });
});

describe("the widget's look at languages", () => {
  const look = (agent: string, client?: string) =>
    as(agent, 'GET', '/api/sessions/languages', { headers: client === undefined ? {} : { 'x-parley-client': client } });

  test('tells it how it looks, and nobody else; caches keep the two apart', async () => {
    const [plain, widgets, bare] = [
      await look('on-pages'),
      await look('on-pages', 'widget/1.2.0'),
      await look('desk', 'widget/1'),
    ];
    expect(widgets.body).toEqual({ ...plain.body, widget: { title: 'Front desk', ...widget, microphone: false } });
    expect(plain.body).not.toHaveProperty('widget');
    expect((await look('on-pages', 'my-app/2')).body).toEqual(plain.body);
    expect(bare.body.widget).toEqual({ title: 'Front desk', microphone: false });
    for (const { headers } of [plain, widgets])
      expect(headers.get('vary')).toMatch(/Origin.*X-Parley-Client.*Authorization/);
    expect(widgets.headers.get('etag')).not.toBe(plain.headers.get('etag'));
  });

  test('has a counter of its own: pages that are read use up nothing of what conversations need', async () => {
    const policy = async () => (await look('on-pages', 'widget/1.2.0')).headers.get('ratelimit-policy');
    const looks = await Promise.all(Array.from({ length: 8 }, policy));
    expect(looks.every((text) => text?.startsWith('"widget-per-minute"; q=5; w=60'))).toBe(true);
    const beyond = await eventually('it is used up', async () => {
      const answer = await look('on-pages', 'widget/1.2.0');
      return answer.status === 429 && answer;
    });
    expectProblem(beyond, 429, 'rate_limited');
    const session = await create('on-pages', { headers: { 'x-parley-client': 'widget/1.2.0' } });
    expect([session.status, session.headers.get('ratelimit-policy')?.slice(0, 12)]).toEqual([200, '"per-minute"']);
  });
});

describe('POST /api/sessions', () => {
  test('without a body gives everything it takes to join, and a token for this room only', async () => {
    const answer = await create('desk');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.body).toEqual({
      sessionId: expect.stringMatching(/^s_[\w-]{22}$/),
      wsUrl: world.rooms.url,
      token: expect.any(String),
      voiceId: 'amy',
    });
    const claims = JSON.parse(Buffer.from(String(answer.body.token).split('.')[1] ?? '', 'base64url').toString()) as {
      video: Record<string, unknown>;
      nbf: number;
      exp: number;
      sub: string;
    };
    expect(claims.video).toMatchObject({ roomJoin: true, room: await roomOf(String(answer.body.sessionId)) });
    for (const right of ['roomCreate', 'roomAdmin', 'roomList', 'roomRecord', 'agent']) {
      expect(claims.video[right] ?? false).toBe(false);
    }
    // By the database's clock, which is known here to some milliseconds.
    expect(claims.exp - claims.nbf).toBe(600);
    expect(claims.nbf - Date.now() / 1000).toBeLessThanOrEqual(1);
  });

  test.each([
    ['an empty object', {}],
    ['nulls', { language: null, voiceId: null, systemPrompt: null, interactionMode: null }],
    ['an empty text', ''],
  ])('takes %s as no fields', async (_name, body) => {
    expect((await create('desk', { body })).status).toBe(200);
  });

  test('finds a language whatever its case, and a voice of it', async () => {
    const german = await create('desk', { body: { language: 'DE-de', interactionMode: 'TEXT' } });
    expect(german.status).toBe(200);
    expect(german.body).not.toHaveProperty('voiceId');
    const [row] = await world.admin.query<{ language: string }>(
      sql`select language from sessions where id = ${german.body.sessionId}`,
    );
    expect(row?.language).toBe('de-DE');
    expect((await create('desk', { body: { voiceId: 'amy' } })).body.voiceId).toBe('amy');
  });

  test('refuses what the agent is not configured for, and says what it is', async () => {
    const before = await countSessions();
    const language = await create('desk', { body: { language: 'de' } });
    expectProblem(language, 400, 'language_not_configured');
    expect(language.body.message).toContain('en, de-DE');
    expectProblem(await create('desk', { body: { voiceId: 'bob' } }), 400, 'voice_not_available');
    expectProblem(await create('desk', { body: { language: 'de-DE', voiceId: 'amy' } }), 400, 'voice_not_available');
    expectProblem(await create('desk', { body: { interactionMode: 'VOICE' } }), 503, 'voice_unavailable');
    expectProblem(await create('speaking'), 503, 'voice_unavailable');
    expect((await create('speaking', { body: { interactionMode: 'TEXT' } })).status).toBe(200);
    expect(await countSessions()).toBe((before ?? 0) + 1);
  });

  test.each([
    ['an unknown field', { interactionmode: 'TEXT' }, 'interactionmode'],
    ['a wrong type', { language: 7 }, 'language'],
    ['an empty text', { voiceId: '' }, 'voiceId'],
    ['a wrong choice', { interactionMode: 'text' }, 'interactionMode'],
    ['a prompt that is too long', { systemPrompt: 'x'.repeat(32_001) }, 'systemPrompt'],
    ['a NUL', { systemPrompt: 'a\u0000b' }, 'systemPrompt'],
  ])('refuses %s and names the field', async (_name, body, path) => {
    const answer = await create('desk', { body });
    expectProblem(answer, 400, 'invalid_request');
    expect(answer.body.details).toEqual([{ path, message: expect.any(String) }]);
    expect(answer.body.message).toContain(path);
  });

  test.each([
    ['broken JSON', '{"language":', 400, 'invalid_json'],
    ['JSON that is not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 400, 'invalid_json'],
    ['a list', '[]', 400, 'invalid_request'],
    ['a text', '"TEXT"', 400, 'invalid_request'],
    ['a megabyte', `{"systemPrompt":"${'x'.repeat(1_000_000)}"}`, 413, 'payload_too_large'],
  ])('refuses %s', async (_name, body, status, code) => {
    expectProblem(await create('desk', { body, headers: { 'content-type': 'application/json' } }), status, code);
  });

  test.each([
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/x-www-form-urlencoded' },
    { 'content-type': 'application/json; charset=utf-16' },
    { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  ])('refuses a body sent with %o', async (headers) => {
    expectProblem(await create('desk', { body: '{"language":"en"}', headers }), 415, 'unsupported_media_type');
  });

  test('takes a prompt from a server, not from a page, and as the agent allows', async () => {
    const body = { systemPrompt: 'Speak like a pirate.' };
    const taken = await create('desk', { body });
    expect(taken.status).toBe(200);
    const [row] = await world.admin.query(sql`select prompt_override from sessions where id = ${taken.body.sessionId}`);
    expect(row).toEqual({ prompt_override: body.systemPrompt });
    const refused = 'prompt_override_not_allowed';
    expectProblem(await create('desk', { body, headers: { origin: 'https://shop.example' } }), 403, refused);
    expectProblem(await create('own-prompt', { body }), 403, refused);
    expectProblem(await create('signed-prompt', { body }), 403, refused);
    expect((await create('signed-prompt', { body: {} })).status).toBe(200);
  });

  test('knows the widget by its header', async () => {
    const { body } = await create('desk', { headers: { 'x-parley-client': 'widget/1.2.0' } });
    const [row] = await world.admin.query(sql`select channel from sessions where id = ${body.sessionId}`);
    expect(row).toEqual({ channel: 'widget' });
  });

  test('stops at the caps of the agent', async () => {
    expect((await create('one-at-a-time')).status).toBe(200);
    const full = await create('one-at-a-time');
    expectProblem(full, 429, 'concurrency_limit');
    expect(full.headers.get('retry-after')).toMatch(/^\d+$/);
    expect([(await create('two-waiting')).status, (await create('two-waiting')).status]).toEqual([200, 200]);
    expectProblem(await create('two-waiting'), 429, 'concurrency_limit');
    expectProblem(await create('no-minutes'), 429, 'minute_limit');
    expectProblem(await create('no-tokens'), 429, 'token_limit');
  });
});

describe('signed requests', () => {
  const path = '/api/sessions';
  const body = '{"systemPrompt":"Be brief."}';
  const signed = (agent: string, signature: string, sent = body) =>
    create(agent, { body: sent, headers: { 'content-type': 'application/json', 'x-signature': signature } });

  test('are accepted once', async () => {
    for (const agent of ['signed-only', 'signed-prompt', 'desk']) {
      const signature = signatureHeader(secretOf(agent), { method: 'POST', path, body });
      expect((await signed(agent, signature)).status).toBe(200);
      const replayed = await signed(agent, signature);
      expectProblem(replayed, 401, 'invalid_signature');
      expect(replayed.body.message).toMatch(/used before/);
    }
  });

  test('are accepted once when they arrive at the same time', async () => {
    const signature = signatureHeader(secretOf('signed-only'), { method: 'POST', path, body, at: Date.now() - 30_000 });
    const answers = await Promise.all(Array.from({ length: 10 }, () => signed('signed-only', signature)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('may be sent again as they were with an Idempotency-Key: the answer may have been lost', async () => {
    const bases = world.apis.map(({ port }) => `http://127.0.0.1:${port}`);
    const key = 'signed-and-idempotent';
    const signature = signatureHeader(secretOf('signed-only'), { method: 'POST', path, body, at: Date.now() - 10_000 });
    const again = (index: number, idempotencyKey = key, x = signature) =>
      ask(bases[index % 2] ?? '', 'POST', path, {
        key: keyOf('signed-only'),
        body,
        headers: { 'content-type': 'application/json', 'x-signature': x, 'idempotency-key': idempotencyKey },
      });
    const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => again(index)));
    answers.push(await again(1));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ body: { sessionId } }) => sessionId)).size).toBe(1);
    // It is that request only: with another key, or without one, the signature was used.
    expectProblem(await again(1, 'another-idempotency-key'), 401, 'invalid_signature');
    expectProblem(await signed('signed-only', signature), 401, 'invalid_signature');
    const later = signatureHeader(secretOf('signed-only'), { method: 'POST', path, body, at: Date.now() - 5_000 });
    expect((await again(0, key, later)).body.sessionId).toBe(answers[0]?.body.sessionId);
    // What another request was signed with opens nothing, whatever key it brings.
    expectProblem(await signed('signed-only', later), 401, 'invalid_signature');
  });

  test('that were refused may be sent again as they were', async () => {
    const at = Date.now() - 20_000;
    const asked = { method: 'POST', path, body: '', at };
    const headers = { 'x-signature': signatureHeader(secretOf('two-at-a-time'), asked) };
    const [first] = [await createdId('two-at-a-time'), await createdId('two-at-a-time')];
    expectProblem(await create('two-at-a-time', { headers }), 429, 'concurrency_limit');
    await as('two-at-a-time', 'POST', `/api/sessions/${first}/end`);
    expect((await create('two-at-a-time', { headers })).status).toBe(200);
    expectProblem(await create('two-at-a-time', { headers }), 401, 'invalid_signature');
  });

  test('with an Idempotency-Key are given back to signed requests only: the key of a page may be known, and theirs guessed', async () => {
    const key = 'order-number-000017';
    const idempotent = { 'idempotency-key': key };
    const signature = signatureHeader(secretOf('desk'), { method: 'POST', path, body: '', at: Date.now() - 25_000 });
    const theirs = await create('desk', { headers: { ...idempotent, 'x-signature': signature } });
    const guessed = await create('desk', { headers: idempotent });
    expect([theirs.status, guessed.status]).toEqual([200, 200]);
    expect(guessed.body.sessionId).not.toBe(theirs.body.sessionId);
  });

  test('are needed where the agent says so, on both routes', async () => {
    expectProblem(await create('signed-only'), 401, 'invalid_signature');
    expectProblem(await as('signed-only', 'POST', '/api/tokens'), 401, 'invalid_signature');
    const token = '/api/tokens?language=en';
    const signature = signatureHeader(secretOf('signed-only'), { method: 'POST', path: token, body: '' });
    expect((await as('signed-only', 'POST', token, { headers: { 'x-signature': signature } })).status).toBe(200);
  });

  test('are refused when anything about them is wrong', async () => {
    const good = { method: 'POST', path, body };
    const secret = secretOf('signed-only');
    const wrong = {
      'another body': signatureHeader(secret, { ...good, body: '{}' }),
      'another path': signatureHeader(secret, { ...good, path: '/api/tokens' }),
      'another method': signatureHeader(secret, { ...good, method: 'PUT' }),
      'another secret': signatureHeader(secretOf('desk'), good),
      'too old': signatureHeader(secret, { ...good, at: Date.now() - 301_000 }),
      'from the future': signatureHeader(secret, { ...good, at: Date.now() + 310_000 }),
      'no signature': 't=1,v1=',
      rubbish: 'hello',
    };
    for (const [name, signature] of Object.entries(wrong)) {
      const answer = await signed('signed-only', signature);
      expect([name, answer.status, answer.body.code]).toEqual([name, 401, 'invalid_signature']);
    }
  });
});

describe('Idempotency-Key', () => {
  let used = 0;
  const newKey = () => `test-idempotency-${String(++used).padStart(6, '0')}`;
  const withKey = (key: string, asked: Asked = {}) =>
    create('desk', { ...asked, headers: { 'idempotency-key': key, ...asked.headers } });

  test('gives one session to many requests at once, over two processes', async () => {
    const key = newKey();
    const bases = world.apis.map(({ port }) => `http://127.0.0.1:${port}`);
    const before = (await countSessions()) ?? 0;
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        ask(bases[index % 2] ?? '', 'POST', '/api/sessions', {
          key: keyOf('desk'),
          body: { language: 'en' },
          headers: { 'idempotency-key': key },
        }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.sessionId)).size).toBe(1);
    expect(await countSessions()).toBe(before + 1);
  });

  test('is the same request however its JSON is written, and another with another body', async () => {
    const key = newKey();
    const headers = { 'content-type': 'application/json' };
    const first = await withKey(key, { body: '{"language":"en","voiceId":"amy"}', headers });
    const same = await withKey(key, { body: '{ "voiceId": "amy", "systemPrompt": null, "language": "en" }', headers });
    expect(same.body.sessionId).toBe(first.body.sessionId);
    expectProblem(await withKey(key, { body: { language: 'de-DE' } }), 422, 'idempotency_key_reused');
  });

  test('of an ended session says so', async () => {
    const key = newKey();
    const { body } = await withKey(key);
    await as('desk', 'POST', `/api/sessions/${body.sessionId}/end`);
    expectProblem(await withKey(key), 409, 'session_ended');
  });

  test('belongs to its agent and, from a page, to origin', async () => {
    const key = newKey();
    const ids = [
      (await withKey(key)).body.sessionId,
      (await create('other', { headers: { 'idempotency-key': key } })).body.sessionId,
      (await withKey(key, { headers: { origin: 'https://a.example' } })).body.sessionId,
      (await withKey(key, { headers: { origin: 'https://b.example' } })).body.sessionId,
    ];
    expect(new Set(ids).size).toBe(4);
    expect((await withKey(key, { headers: { origin: 'https://a.example' } })).body.sessionId).toBe(ids[2]);
  });

  test('must be long enough and not too long', async () => {
    expectProblem(await withKey('x'.repeat(15)), 400, 'invalid_request');
    expectProblem(await withKey('x'.repeat(256)), 400, 'invalid_request');
    expect((await withKey('x'.repeat(255))).status).toBe(200);
  });

  test('of a request that was refused may be used again', async () => {
    const key = newKey();
    expectProblem(await withKey(key, { body: { language: 'xx' } }), 400, 'language_not_configured');
    expect((await withKey(key, { body: { language: 'en' } })).status).toBe(200);
  });
});

describe('reading and ending', () => {
  test('reading mints a token for the same room and person', async () => {
    const created = await create('desk');
    const read = await as('desk', 'GET', `/api/sessions/${created.body.sessionId}`);
    expect(read.status).toBe(200);
    expect(Object.keys(read.body).sort()).toEqual(Object.keys(created.body).sort());
    const claims = (answer: Answer) =>
      JSON.parse(Buffer.from(String(answer.body.token).split('.')[1] ?? '', 'base64url').toString()) as {
        sub: string;
        video: { room: string };
      };
    expect(claims(read).video.room).toBe(claims(created).video.room);
    expect(claims(read).sub).toBe(claims(created).sub);
  });

  test('ending twice, or many times at once, gives the same answer', async () => {
    const id = await createdId();
    const answers = await Promise.all(Array.from({ length: 8 }, () => as('desk', 'POST', `/api/sessions/${id}/end`)));
    answers.push(await as('desk', 'POST', `/api/sessions/${id}/end`));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.body).toEqual({
      sessionId: id,
      status: 'ended',
      endReason: 'client_ended',
      startedAt: null,
      endedAt: expect.stringMatching(/Z$/),
      durationSeconds: 0,
      billedSeconds: 0,
    });
    expectProblem(await as('desk', 'GET', `/api/sessions/${id}`), 409, 'session_ended');
    const jobs = await world.admin.query(
      sql`select 1 from graphile_worker.jobs where task_identifier = 'finish_session' and key = ${`finish ${id}`}`,
    );
    expect(jobs).toHaveLength(1);
  });

  test('routes without a payload ignore body and content type', async () => {
    const id = await createdId();
    const headers = { 'content-type': 'text/xml' };
    const end = await as('desk', 'POST', `/api/sessions/${id}/end`, { body: '<broken', headers });
    expect(end.status).toBe(200);
    const large = { body: Buffer.alloc(1_000_000, 0x7b), headers };
    expect((await as('desk', 'POST', `/api/sessions/${id}/end`, large)).status).toBe(200);
  });

  test('sessions of other agents and tenants, and ids that are none, are not found', async () => {
    const id = await createdId();
    const room = await roomOf(id);
    const unknown = [`s_${'A'.repeat(22)}`, 'languages2', '%00', 's_%F0%9F%98%80', 'x'.repeat(5_000)];
    const others: [string | undefined, string][] = [
      [keyOf('other'), id],
      [foreign.apiKey, id],
      ...unknown.map((text): [string | undefined, string] => [keyOf('desk'), text]),
    ];
    for (const [key, named] of others) {
      expectProblem(await ask(world.baseUrl, 'GET', `/api/sessions/${named}`, { key }), 404, 'session_not_found');
      expectProblem(await ask(world.baseUrl, 'POST', `/api/sessions/${named}/end`, { key }), 404, 'session_not_found');
    }
    for (const key of [keyOf('other'), foreign.apiKey]) {
      const config = await ask(world.baseUrl, 'GET', `/api/sessions/config/${room}`, { key });
      expectProblem(config, 404, 'session_not_found');
      const body = { role: 'USER', content: 'hi', sessionId: id };
      const line = await ask(world.baseUrl, 'POST', '/api/sessions/transcription', { key, body });
      expectProblem(line, 404, 'session_not_found');
    }
    expectProblem(await as('desk', 'GET', '/api/sessions/config/%00'), 404, 'session_not_found');
    expect((await as('desk', 'GET', `/api/sessions/${id}`)).status).toBe(200);
  });
});

describe('POST /api/tokens', () => {
  test('takes the language from the body, or from the query without one', async () => {
    const languageOf = async (answer: Answer) => {
      expect(Object.keys(answer.body).sort()).toEqual(['token', 'wsUrl']);
      const claims = Buffer.from(String(answer.body.token).split('.')[1] ?? '', 'base64url').toString();
      const { room } = (JSON.parse(claims) as { video: { room: string } }).video;
      const [row] = await world.admin.query<{ language: string; opened_by: string }>(
        sql`select language, opened_by from sessions where room_name = ${room}`,
      );
      expect(row?.opened_by).toBe('token');
      return row?.language;
    };
    expect(await languageOf(await as('desk', 'POST', '/api/tokens'))).toBe('en');
    expect(await languageOf(await as('desk', 'POST', '/api/tokens?language=de-de'))).toBe('de-DE');
    const both = await as('desk', 'POST', '/api/tokens?language=xx', { body: { language: 'de-DE' } });
    expect(await languageOf(both)).toBe('de-DE');
  });

  test('refuses what it does not take', async () => {
    expectProblem(await as('desk', 'POST', '/api/tokens?language=xx'), 400, 'language_not_configured');
    expectProblem(await as('desk', 'POST', '/api/tokens?language='), 400, 'invalid_request');
    expectProblem(await as('desk', 'POST', '/api/tokens?language=en&language=de'), 400, 'invalid_request');
    expectProblem(await as('desk', 'POST', '/api/tokens', { body: { voiceId: 'amy' } }), 400, 'invalid_request');
  });
});

describe('GET /api/sessions/config/:roomName', () => {
  test('says what the room is about, and nothing that is the agent’s own', async () => {
    const id = await createdId();
    const path = `/api/sessions/config/${await roomOf(id)}`;
    const answer = await as('desk', 'GET', path);
    expect(answer.body).toEqual({
      sessionId: id,
      roomName: await roomOf(id),
      agent: { name: 'Front desk', version: expect.stringMatching(/^[0-9a-f]{12}$/) },
      language: 'en',
      voiceId: 'amy',
      interactionMode: 'TEXT',
      status: 'created',
    });
    const fromPage = await as('desk', 'GET', path, { headers: { origin: 'https://shop.example' } });
    expect(fromPage.status).toBe(200);
    expect(fromPage.body).not.toHaveProperty('sessionId');
    expect(answer.text + fromPage.text).not.toMatch(/heliotrope|9 to 5/);
  });
});

describe('POST /api/sessions/transcription', () => {
  const line = (body: object) => as('desk', 'POST', '/api/sessions/transcription', { body });
  const words = { role: 'USER', content: 'Good morning' };

  test('keeps lines in order, by session or by room, and a repeated messageId changes nothing', async () => {
    const sessionId = await createdId();
    const roomName = await roomOf(sessionId);
    const first = await line({ ...words, sessionId, messageId: 'm-1' });
    expect(first.body).toEqual({ messageId: 'm-1', sequence: 1 });
    const second = await line({ role: 'ASSISTANT', content: 'Hello', roomName });
    expect(second.body).toEqual({ messageId: expect.any(String), sequence: 2 });
    expect((await line({ ...words, sessionId, roomName, messageId: 'm-1' })).body).toEqual(first.body);
    const rows = await world.admin.query(
      sql`select role, source, content from messages where session_id = ${sessionId} order by sequence`,
    );
    expect(rows).toEqual([
      { role: 'USER', source: 'client', content: 'Good morning' },
      { role: 'ASSISTANT', source: 'client', content: 'Hello' },
    ]);
  });

  test('a retry that overtakes itself is stored once', async () => {
    const sessionId = await createdId();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => line({ ...words, sessionId, messageId: 'same' })),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  test('refuses lines that name no session, or two', async () => {
    const [one, two] = [await createdId(), await createdId()];
    expectProblem(await line(words), 400, 'invalid_request');
    expectProblem(await line({ ...words, sessionId: one, roomName: await roomOf(two) }), 400, 'invalid_request');
    expectProblem(await line({ ...words, sessionId: one, roomName: 'r_unknown' }), 404, 'session_not_found');
    expectProblem(await line({ ...words, roomName: 'r_unknown' }), 404, 'session_not_found');
    const theirs = (await create('other')).body.sessionId;
    const mixed = { ...words, sessionId: one, roomName: await roomOf(String(theirs)) };
    expectProblem(await line(mixed), 404, 'session_not_found');
  });

  test.each([
    ['role', { role: 'user', content: 'x', sessionId: 's' }],
    ['content', { role: 'USER', content: '', sessionId: 's' }],
    ['content', { role: 'USER', content: 'x'.repeat(16_001), sessionId: 's' }],
    ['messageId', { ...words, sessionId: 's', messageId: 'x'.repeat(129) }],
    ['content', { role: 'USER', sessionId: 's' }],
  ])('refuses a wrong %s', async (path, body) => {
    const answer = await line(body);
    expectProblem(answer, 400, 'invalid_request');
    expect(answer.body.details).toEqual([{ path, message: expect.any(String) }]);
  });

  test('is open until 30 s after the end and takes 2000 lines', async () => {
    const sessionId = await createdId();
    await as('desk', 'POST', `/api/sessions/${sessionId}/end`);
    expect((await line({ ...words, sessionId })).status).toBe(200);
    await world.admin.query(sql`
      insert into messages (tenant_id, session_id, sequence, role, source, content, at, turn)
      select ${world.tenant}, ${sessionId}, n, 'USER', 'client', 'x', now(), 0 from generate_series(100, 2098) n`);
    expectProblem(await line({ ...words, sessionId }), 429, 'transcript_full');
    await world.admin.query(sql`update sessions set ended_at = now() - interval '31 seconds' where id = ${sessionId}`);
    expectProblem(await line({ ...words, sessionId }), 409, 'session_ended');
  });
});

describe('rate limit of one process', () => {
  test('refuses what is beyond the agent’s budget and says when to come back', async () => {
    const answers: Answer[] = [];
    for (let i = 0; i < 6; i++) answers.push(await as('five-a-minute', 'GET', '/api/sessions/languages'));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
    const [first, last] = [answers[0], answers[5]] as [Answer, Answer];
    expect(first.headers.get('ratelimit')).toMatch(/r=4; t=\d+/);
    expect(first.headers.get('ratelimit-policy')).toMatch(/q=5; w=60/);
    expectProblem(last, 429, 'rate_limited');
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await ask(world.baseUrl, 'OPTIONS', '/api/sessions/languages')).status).toBe(204);
    expect((await ask(world.baseUrl, 'GET', '/health')).status).toBe(200);
  });
});

describe('the log', () => {
  test('names requests by the id of their answer, and holds no credential, id or word of anybody', async () => {
    const spoken = 'a very private sentence';
    const created = await create('desk', { body: { systemPrompt: spoken } });
    const sessionId = String(created.body.sessionId);
    const roomName = await roomOf(sessionId);
    await as('desk', 'POST', '/api/sessions/transcription', { body: { role: 'USER', content: spoken, sessionId } });
    const last = await as('desk', 'GET', `/api/sessions/config/${roomName}`);
    const output = await eventually('the line is written', () => {
      const text = world.apis[0]?.output() ?? '';
      return text.includes(last.headers.get('x-request-id') ?? 'none') && text;
    });
    for (const secret of [spoken, sessionId, roomName, keyOf('desk') ?? '', String(created.body.token)]) {
      expect(output.includes(secret)).toBe(false);
    }
  });
});
