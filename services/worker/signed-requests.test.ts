import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { signedRequests } from './signed-requests.ts';

const secret = 'a secret of the tests';
const signed = (body: string) => ({
  'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
});

let nudges = 0;
const server = createServer(
  signedRequests({
    pushEvents: {
      secret,
      nudge: () => {
        nudges += 1;
      },
    },
    scenarioPasses: { secret: undefined, store: async () => undefined, onStored: () => undefined },
  }),
);

beforeEach(async () => {
  nudges = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

function begin(headers: Record<string, string>) {
  const { port } = server.address() as AddressInfo;
  const request = send({ port, host: '127.0.0.1', method: 'POST', path: '/push-events', headers });
  const answered = new Promise<{ status: number | undefined; retryAfter: string | undefined }>((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      response.resume();
      resolve({ status: response.statusCode, retryAfter: response.headers['retry-after'] });
    });
  });
  return { request, answered };
}

async function event(body: string) {
  const { request, answered } = begin(signed(body));
  request.end(body);
  return answered;
}

test('an event of a mebibyte is taken, and a larger one refused before any of it is read', async () => {
  const most = 1024 * 1024;
  expect(await event('x'.repeat(most))).toMatchObject({ status: 202 });
  const { request, answered } = begin({ ...signed(''), 'content-length': String(most + 1) });
  request.flushHeaders();
  expect(await answered).toMatchObject({ status: 413 });
  request.destroy();
  expect(nudges).toBe(1);
});

test('a larger one that does not say how large it is is read no further than that', async () => {
  const { request, answered } = begin({ ...signed(''), 'transfer-encoding': 'chunked' });
  request.write('x'.repeat(1024 * 1024 + 1));
  expect(await answered).toMatchObject({ status: 413 });
  request.destroy();
});

test('few are read at once, and those that come meanwhile are told to come again', async () => {
  const slow = Array.from({ length: 4 }, () => begin({ ...signed('{}'), 'transfer-encoding': 'chunked' }));
  for (const { request } of slow) request.write('{');
  // The server has seen them all once the fifth is refused.
  let fifth = await event('{}');
  for (let tries = 0; fifth.status !== 429 && tries < 1_000; tries += 1) fifth = await event('{}');
  expect(fifth).toEqual({ status: 429, retryAfter: '1' });
  for (const { request } of slow) request.end('}');
  expect((await Promise.all(slow.map(({ answered }) => answered))).map(({ status }) => status)).toEqual([
    202, 202, 202, 202,
  ]);
  expect(await event('{}')).toMatchObject({ status: 202 });
});
