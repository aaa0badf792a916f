import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { CompiledTool, HttpToolCall } from '../../agent-files/definition/compiled.ts';
import { guardedFetch } from '../../process/outbound/guarded-fetch.ts';
import { type HttpToolDeps, runHttpTool } from './http.ts';
import { fillUrl } from './http-url.ts';

interface Seen {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

async function startEndpoint(
  answer: (res: ServerResponse, seen: Seen, count: number) => void = (res) => res.end('{"reference":"R1"}'),
) {
  const seen: Seen[] = [];
  const server = createServer(async (req, res) => {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part);
    const { method, url, headers } = req;
    const request = { method, url, headers, body: Buffer.concat(parts).toString() };
    seen.push(request);
    answer(res, request, seen.length);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const tool = (http: Partial<HttpToolCall>, given: Partial<CompiledTool> = {}): CompiledTool => ({
  name: 'book_table',
  description: 'Books.',
  parameters: { type: 'object' },
  timeoutMs: 20_000,
  idempotent: false,
  http: { method: 'POST', url: 'https://example.com/', headers: {}, maxResponseBytes: 1_000, ...http },
  ...given,
});

const deps = (given: Partial<HttpToolDeps> = {}): HttpToolDeps => ({
  fetch: guardedFetch,
  env: {},
  allowLoopback: true,
  ...given,
});

const run = (given: CompiledTool, args: Record<string, unknown> = {}, using = deps()) =>
  runHttpTool(using, given, { args, callId: 'call_7' });

describe('the request', () => {
  test('takes arguments into the address, escaped, and the others into the body', async () => {
    const { base, seen } = await startEndpoint();
    const result = await run(tool({ url: `${base}/tables/{{ table }}/bookings` }), {
      table: 'a/b?c#d é',
      people: 4,
      note: null,
    });
    expect(result).toEqual({ status: 'ok', output: { reference: 'R1' } });
    expect(seen).toMatchObject([{ method: 'POST', url: '/tables/a%2Fb%3Fc%23d%20%C3%A9/bookings' }]);
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ people: 4, note: null });
    expect(seen[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'idempotency-key': 'call_7' });
  });

  test.for(['GET', 'DELETE'] as const)('of %s puts the others into the query', async (method) => {
    const { base, seen } = await startEndpoint();
    await run(tool({ method, url: `${base}/orders/{{id}}?v=1` }), {
      id: 7,
      tags: ['a', 'b&c'],
      deep: { x: 1 },
      none: null,
    });
    expect(seen).toMatchObject([{ method, url: '/orders/7?v=1&tags=a&tags=b%26c&deep=%7B%22x%22%3A1%7D', body: '' }]);
    expect(seen[0]?.headers['idempotency-key']).toBe('call_7');
  });

  test('carries secrets by reference, and its base may come from the environment', async () => {
    const { base, seen } = await startEndpoint();
    const env = { BASE: `${base}/api/`, TOKEN: 'Bearer s3cret' };
    const given = tool({
      url: { env: 'BASE', path: '/orders' },
      headers: { Authorization: { env: 'TOKEN' }, 'X-Plain': 'yes' },
    });
    await run(given, {}, deps({ env }));
    expect(seen).toMatchObject([{ url: '/api/orders', headers: { authorization: 'Bearer s3cret', 'x-plain': 'yes' } }]);
  });

  test('is not sent when a secret is missing: the operator learns its name, the model does not', async () => {
    const { base, seen } = await startEndpoint();
    const faults: string[] = [];
    const result = await run(
      tool({ url: base, headers: { Authorization: { env: 'TOKEN' } } }),
      {},
      deps({ onFault: ({ reason }) => faults.push(reason) }),
    );
    expect(result).toEqual({ status: 'failed', message: 'book_table is not set up rightly and cannot be used now.' });
    expect(faults).toEqual(['TOKEN is not set in the environment.']);
    expect(seen).toEqual([]);
  });

  test.for([
    ...['..', '.', '', undefined, { a: 1 }, ['x'], '\ud800', '../admin', 'a/../../admin', '..\\admin', '..;/admin'],
    ...[
      '%2e%2e',
      '%252e%252e%252fadmin',
      '\uff0e\uff0e',
      '\u2024\u2024/admin',
      'a\r\nX-Admin: 1',
      'a%0d%0aX-Admin: 1',
      'a\0',
    ],
  ])('is not sent with %j as a part of its path', async (id) => {
    const { base, seen } = await startEndpoint();
    expect(await run(tool({ url: `${base}/orders/{{id}}/items` }), { id })).toMatchObject({ status: 'failed' });
    expect(seen).toEqual([]);
  });

  test('takes no argument in the place of what its address says already', async () => {
    const { base, seen } = await startEndpoint();
    const result = await run(tool({ method: 'GET', url: `${base}/orders?role=guest` }), { role: 'owner' });
    expect(result).toEqual({
      status: 'failed',
      message: '"role" is part of the address already. book_table did not run.',
    });
    expect(seen).toEqual([]);
  });

  test.for(['toString', 'constructor', '__proto__', 'hasOwnProperty'])(
    'is not filled with what every object has, such as %s',
    async (name) => {
      const { base, seen } = await startEndpoint();
      expect(await run(tool({ url: `${base}/orders/{{${name}}}` }))).toMatchObject({ status: 'failed' });
      expect(seen).toEqual([]);
    },
  );

  test('is not sent with a secret that would break a line: the operator learns its name', async () => {
    const { base, seen } = await startEndpoint();
    const faults: string[] = [];
    const given = deps({ env: { TOKEN: 'one\r\ntwo' }, onFault: ({ reason }) => faults.push(reason) });
    const result = await run(tool({ url: base, headers: { Authorization: { env: 'TOKEN' } } }), {}, given);
    expect(result).toEqual({ status: 'failed', message: 'book_table is not set up rightly and cannot be used now.' });
    expect(faults).toEqual(['TOKEN has a character that no header can carry, such as a line break.']);
    expect(seen).toEqual([]);
  });

  test('cannot be led to another host or folder by any argument', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 1 }),
        fc.string({ unit: 'grapheme', minLength: 1 }),
        (a, b) => {
          let filled: string;
          try {
            filled = fillUrl('https://api.example.com/v1/{{a}}{{b}}/end?q={{a}}', { a, b }, {}).url;
          } catch {
            return;
          }
          const { origin, pathname, hash } = new URL(filled);
          expect({ origin, hash }).toEqual({ origin: 'https://api.example.com', hash: '' });
          expect(pathname).toMatch(/^\/v1\/[^/]+\/end$/);
        },
      ),
    );
  });

  test.for(['https://{{host}}/', 'https://api.example.com{{path}}', '{{url}}', 'api.example.com/x'])(
    'has no address like %s',
    async (url) => {
      const args = { host: 'evil.example', path: '.evil.example', url: 'https://evil.example' };
      expect(await run(tool({ url }), args, deps({ allowLoopback: false }))).toMatchObject({ status: 'failed' });
    },
  );
});

describe('the signature', () => {
  const secrets = [
    `sk_${Buffer.alloc(32, 1).toString('base64url')}`,
    `sk_${Buffer.alloc(32, 2).toString('base64url')}`,
  ];
  const signed = (given: CompiledTool, args: Record<string, unknown>) =>
    runHttpTool(deps(), given, { args, callId: 'call_7', secrets });

  /** As docs/write-agents/tools.md tells it to those who write endpoints. */
  function verifies({ method, url, headers, body }: Seen, secret: string, id = headers['idempotency-key']): boolean {
    const parts = String(headers['x-signature']).split(',');
    const t = parts[0]?.slice(2);
    const text = `${t}.${id}.${method}.${url}.${body}`;
    const v1 = createHmac('sha256', Buffer.from(secret.slice(3), 'base64url'))
      .update(text)
      .digest('hex');
    return Math.abs(Date.now() / 1000 - Number(t)) < 300 && parts.slice(1).includes(`v1=${v1}`);
  }

  test.for(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const)(
    'of %s is made with every secret that holds, over time, id, method, path with query, and body',
    async (method) => {
      const { base, seen } = await startEndpoint();
      await signed(tool({ method, url: `${base}/orders/{{id}}?v=1` }), { id: 'é/7', note: 'für "uns"' });
      const [request] = seen as [Seen];
      expect(secrets.map((secret) => verifies(request, secret))).toEqual([true, true]);
      expect(verifies(request, `sk_${Buffer.alloc(32, 3).toString('base64url')}`)).toBe(false);
      expect(verifies({ ...request, url: '/orders/8?v=1' }, secrets[0] ?? '')).toBe(false);
      expect(verifies({ ...request, body: `${request.body} ` }, secrets[0] ?? '')).toBe(false);
      expect(verifies(request, secrets[0] ?? '', 'call_8')).toBe(false);
    },
  );

  test('is not there without a secret, and never the secret itself', async () => {
    const { base, seen } = await startEndpoint();
    await run(tool({ url: base }));
    await signed(tool({ url: base }), {});
    expect(seen[0]?.headers['x-signature']).toBeUndefined();
    expect(seen[1]?.headers['x-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    expect(JSON.stringify(seen)).not.toContain(secrets[0]?.slice(3, 20));
  });
});

describe('a call that failed in passing', () => {
  const failing = (times: number, fail: (res: ServerResponse) => void) =>
    startEndpoint((res, _, count) => void (count <= times ? fail(res) : res.end('{"reference":"R1"}')));
  const worked = { status: 'ok', output: { reference: 'R1' } };

  test.for([
    ['503', (res: ServerResponse) => res.writeHead(503).end()],
    ['500', (res: ServerResponse) => res.writeHead(500).end()],
    ['429', (res: ServerResponse) => res.writeHead(429, { 'retry-after': '0' }).end()],
    ['a connection that broke off', (res: ServerResponse) => res.destroy()],
  ] as [string, (res: ServerResponse) => void][])('(%s) is made again under the same id', async ([, fail]) => {
    const { base, seen } = await failing(2, fail);
    expect(await run(tool({ method: 'GET', url: base }))).toEqual(worked);
    expect(seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['call_7', 'call_7', 'call_7']);
  });

  test.for([
    ['GET', false, 3],
    ['PUT', false, 3],
    ['DELETE', false, 3],
    ['POST', false, 1],
    ['PATCH', false, 1],
    ['POST', true, 3],
    ['PATCH', true, 3],
  ] as const)('is made by %s (idempotent: %s) %i times at most', async ([method, idempotent, times]) => {
    const { base, seen } = await failing(9, (res) => res.writeHead(503).end());
    const status = method === 'GET' ? 'failed' : 'unknown';
    expect(await run(tool({ method, url: base }, { idempotent }))).toMatchObject({ status });
    expect(seen).toHaveLength(times);
  });

  test('is signed anew each time', async () => {
    const { base, seen } = await failing(1, (res) => res.writeHead(503).end());
    const secrets = [`sk_${Buffer.alloc(32, 1).toString('base64url')}`];
    await runHttpTool(deps(), tool({ method: 'GET', url: base }), { args: {}, callId: 'call_7', secrets });
    expect(seen.map(({ headers }) => typeof headers['x-signature'])).toEqual(['string', 'string']);
  });

  test.for([
    ['that was refused', (res: ServerResponse) => res.writeHead(404).end()],
    ['that leads elsewhere', (res: ServerResponse) => res.writeHead(302, { location: '/' }).end()],
    [
      'whose next attempt its timeout leaves no room for',
      (res: ServerResponse) => res.writeHead(503, { 'retry-after': '60' }).end(),
    ],
  ] as [string, (res: ServerResponse) => void][])('is made once, %s', async ([, fail]) => {
    const { base, seen } = await failing(9, fail);
    expect(await run(tool({ method: 'GET', url: base }))).toMatchObject({ status: 'failed' });
    expect(seen).toHaveLength(1);
  });

  test('is not made again when it is given up meanwhile', async () => {
    const controller = new AbortController();
    const { base, seen } = await startEndpoint((res) => {
      res.writeHead(503).end();
      res.on('finish', () => setImmediate(() => controller.abort()));
    });
    const given = { args: {}, callId: 'c', signal: controller.signal };
    expect(await runHttpTool(deps(), tool({ method: 'GET', url: base }), given)).toMatchObject({ status: 'failed' });
    expect(seen).toHaveLength(1);
  });
});

describe('what a call without an answer came to', () => {
  const failures: Record<string, (res: ServerResponse) => void> = {
    fails: (res) => res.writeHead(500).end(),
    'is overloaded': (res) => res.writeHead(429).end(),
    refuses: (res) => res.writeHead(409).end(),
    'breaks off': (res) => res.destroy(),
    'breaks off in its answer': (res) =>
      void res.writeHead(200, { 'content-length': '99' }).write('{', () => res.destroy()),
    stalls: () => undefined,
    'says where the answer is': (res) => res.writeHead(303, { location: '/done' }).end(),
    'leads elsewhere': (res) => res.writeHead(307, { location: '/other' }).end(),
  };
  test.for([
    ['fails', 'unknown'],
    ['is overloaded', 'failed'],
    ['refuses', 'failed'],
    ['breaks off', 'unknown'],
    ['breaks off in its answer', 'unknown'],
    ['stalls', 'unknown'],
    ['says where the answer is', 'unknown'],
    ['leads elsewhere', 'failed'],
  ] as const)('when the endpoint %s: %s, and of a call that only reads: failed', async ([how, status]) => {
    const { base } = await startEndpoint((res) => failures[how]?.(res));
    const given = how === 'stalls' ? { timeoutMs: 300 } : {};
    expect(await run(tool({ url: base }, given))).toMatchObject({ status });
    expect(await run(tool({ url: base, method: 'GET' }, given))).toMatchObject({ status: 'failed' });
  });

  test('when nothing answers there: it certainly did nothing', async () => {
    const result = await run(tool({ url: 'http://127.0.0.1:9/' }));
    expect(result).toEqual({ status: 'failed', message: 'The service behind book_table could not be reached.' });
  });

  test('a refusal of the second attempt says nothing of the first', async () => {
    const { base } = await startEndpoint((res, _, count) => res.writeHead(count === 1 ? 500 : 409).end());
    expect(await run(tool({ url: base }, { idempotent: true }))).toEqual({
      status: 'unknown',
      message: 'The service refused book_table (status 409). Whether it had an effect is not known.',
    });
  });
});

describe('the answer', () => {
  test('may be text, or nothing', async () => {
    const text = await startEndpoint((res) => res.end(' It rains. '));
    const nothing = await startEndpoint((res) => res.writeHead(204).end());
    expect(await run(tool({ url: text.base }))).toEqual({ status: 'ok', output: 'It rains.' });
    expect(await run(tool({ url: nothing.base }))).toEqual({
      status: 'ok',
      output: 'It worked; there is nothing more to tell.',
    });
  });

  test('that is too long is cut, and says so', async () => {
    const { base } = await startEndpoint((res) => res.end(`"${'x'.repeat(5_000)}"`));
    const result = await run(tool({ url: base, maxResponseBytes: 100 }));
    expect(result).toEqual({ status: 'ok', output: `"${'x'.repeat(99)}\n[The answer was longer and was cut here.]` });
  });

  test('that is cut in the middle of a character loses that character', async () => {
    const { base } = await startEndpoint((res) => res.end('é'.repeat(60)));
    expect(await run(tool({ url: base, maxResponseBytes: 101 }))).toEqual({
      status: 'ok',
      output: `${'é'.repeat(50)}\n[The answer was longer and was cut here.]`,
    });
  });

  test.for([
    ['bytes that are no text', {}, Buffer.from([0xff, 0xfe, 0x00, 0xd8])],
    ['control characters', {}, 'a\0b'],
    ['JSON that is none', { 'content-type': 'application/json' }, '{"reference": '],
    ['a page', { 'content-type': 'text/html; charset=utf-8' }, '<html>Please sign in</html>'],
    ['a compressed body that nobody asked for', { 'content-encoding': 'gzip' }, 'x'],
  ] as [string, Record<string, string>, string | Buffer][])('of %s is a failure', async ([, headers, body]) => {
    const { base } = await startEndpoint((res) => res.writeHead(200, headers).end(body));
    const result = await run(tool({ url: base }));
    expect(result).toMatchObject({
      status: 'unknown',
      message: expect.stringMatching(/Whether it had an effect is not known\.$/),
    });
  });

  test('may be JSON under whatever type it comes', async () => {
    const { base } = await startEndpoint((res) => res.writeHead(200, { 'content-type': 'text/html' }).end('{"a":1}'));
    expect(await run(tool({ url: base }))).toEqual({ status: 'ok', output: { a: 1 } });
  });

  test('of refusal tells the model why, in the words of the endpoint', async () => {
    const { base } = await startEndpoint((res) => res.writeHead(409).end('{"message":"No table is free\\nat 7."}'));
    expect(await run(tool({ url: base }))).toEqual({
      status: 'failed',
      message: 'The service refused book_table (status 409): No table is free at 7.',
    });
  });

  test('of failure shows nothing of the endpoint', async () => {
    const { base } = await startEndpoint((res) =>
      res.writeHead(500).end('{"message":"at Object.<anonymous> (/srv/app.js:1)"}'),
    );
    expect(await run(tool({ url: base }))).toEqual({
      status: 'unknown',
      message:
        'The service behind book_table is failing right now (status 500). Whether it had an effect is not known.',
    });
  });

  test('that leads elsewhere is a failure', async () => {
    const { base, seen } = await startEndpoint((res) => res.writeHead(307, { location: '/other' }).end());
    expect(await run(tool({ url: base }))).toMatchObject({ status: 'failed' });
    expect(seen).toHaveLength(1);
  });

  test('that does not come is given up after the declared time', async () => {
    const { base } = await startEndpoint(() => {});
    const result = await run(tool({ url: base }, { timeoutMs: 100 }));
    expect(result).toEqual({
      status: 'unknown',
      message: 'book_table did not answer within 0.1 seconds. Whether it had an effect is not known.',
    });
  });

  test('is not waited for when the call is given up', async () => {
    const controller = new AbortController();
    const { base } = await startEndpoint(() => controller.abort());
    const result = await runHttpTool(deps(), tool({ url: base }), { args: {}, callId: 'c', signal: controller.signal });
    expect(result).toEqual({
      status: 'unknown',
      message: 'book_table was given up before it answered. Whether it had an effect is not known.',
    });
  });
});

test('the machine itself is out of reach outside development', async () => {
  const { base, seen } = await startEndpoint();
  const production = deps({ allowLoopback: false });
  for (const url of [base, base.replace('http:', 'https:')])
    expect(await run(tool({ url }), {}, production)).toMatchObject({ status: 'failed' });
  expect(seen).toEqual([]);
});
