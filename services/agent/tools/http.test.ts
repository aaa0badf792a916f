import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { CompiledTool, HttpToolCall } from '../../contract/agents/compiled.ts';
import { guardedFetch } from '../../core/guarded-fetch.ts';
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
  answer: (res: ServerResponse, seen: Seen) => void = (res) => res.end('{"reference":"R1"}'),
) {
  const seen: Seen[] = [];
  const server = createServer(async (req, res) => {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part);
    const { method, url, headers } = req;
    const request = { method, url, headers, body: Buffer.concat(parts).toString() };
    seen.push(request);
    answer(res, request);
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
    expect(result).toEqual({ ok: true, output: { reference: 'R1' } });
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
    expect(result).toEqual({ ok: false, message: 'book_table is not set up rightly and cannot be used now.' });
    expect(faults).toEqual(['TOKEN is not set in the environment.']);
    expect(seen).toEqual([]);
  });

  test.for(['..', '.', '', undefined, { a: 1 }, ['x'], '\ud800'])(
    'is not sent with %j as a part of its path',
    async (id) => {
      const { base, seen } = await startEndpoint();
      expect(await run(tool({ url: `${base}/orders/{{id}}/items` }), { id })).toMatchObject({ ok: false });
      expect(seen).toEqual([]);
    },
  );

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
      expect(await run(tool({ url }), args, deps({ allowLoopback: false }))).toMatchObject({ ok: false });
    },
  );
});

describe('the answer', () => {
  test('may be text, or nothing', async () => {
    const text = await startEndpoint((res) => res.end(' It rains. '));
    const nothing = await startEndpoint((res) => res.writeHead(204).end());
    expect(await run(tool({ url: text.base }))).toEqual({ ok: true, output: 'It rains.' });
    expect(await run(tool({ url: nothing.base }))).toEqual({
      ok: true,
      output: 'It worked; there is nothing more to tell.',
    });
  });

  test('that is too long is cut, and says so', async () => {
    const { base } = await startEndpoint((res) => res.end(`"${'x'.repeat(5_000)}"`));
    const result = await run(tool({ url: base, maxResponseBytes: 100 }));
    expect(result).toEqual({ ok: true, output: `"${'x'.repeat(99)}\n[The answer was longer and was cut here.]` });
  });

  test('of refusal tells the model why, in the words of the endpoint', async () => {
    const { base } = await startEndpoint((res) => res.writeHead(409).end('{"message":"No table is free\\nat 7."}'));
    expect(await run(tool({ url: base }))).toEqual({
      ok: false,
      message: 'The service refused book_table (status 409): No table is free at 7.',
    });
  });

  test('of failure shows nothing of the endpoint', async () => {
    const { base } = await startEndpoint((res) =>
      res.writeHead(500).end('{"message":"at Object.<anonymous> (/srv/app.js:1)"}'),
    );
    expect(await run(tool({ url: base }))).toEqual({
      ok: false,
      message: 'The service behind book_table is failing right now (status 500).',
    });
  });

  test('that leads elsewhere is a failure', async () => {
    const { base, seen } = await startEndpoint((res) => res.writeHead(307, { location: '/other' }).end());
    expect(await run(tool({ url: base }))).toMatchObject({ ok: false });
    expect(seen).toHaveLength(1);
  });

  test('that does not come is given up after the declared time', async () => {
    const { base } = await startEndpoint(() => {});
    const result = await run(tool({ url: base }, { timeoutMs: 100 }));
    expect(result).toEqual({
      ok: false,
      message: 'book_table did not answer within 0.1 seconds. Whether it had an effect is not known.',
    });
  });

  test('is not waited for when the call is given up', async () => {
    const controller = new AbortController();
    const { base } = await startEndpoint(() => controller.abort());
    const result = await runHttpTool(deps(), tool({ url: base }), { args: {}, callId: 'c', signal: controller.signal });
    expect(result).toEqual({ ok: false, message: 'book_table was given up before it answered.' });
  });
});

test('the machine itself is out of reach outside development', async () => {
  const { base, seen } = await startEndpoint();
  const production = deps({ allowLoopback: false });
  for (const url of [base, base.replace('http:', 'https:')])
    expect(await run(tool({ url }), {}, production)).toMatchObject({ ok: false });
  expect(seen).toEqual([]);
});
