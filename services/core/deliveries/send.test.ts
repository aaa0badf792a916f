import { expect, test } from 'vitest';
import {
  type GuardedFetch,
  GuardedFetchError,
  type GuardedResponse,
  guardedFetch,
} from '../../process/outbound/guarded-fetch.ts';
import { sendOnce } from './send.ts';

const sending = {
  id: 'd1',
  url: 'https://hooks.example/x',
  body: '{}',
  secrets: [`sk_${'a'.repeat(43)}`],
  at: new Date(),
};
const answer = (status: number, body: string | Buffer = ''): GuardedFetch => {
  const response: GuardedResponse = { status, headers: {}, body: Buffer.from(body), truncated: false };
  return async () => response;
};
const send = (fetch: GuardedFetch, url = sending.url) =>
  sendOnce({ guardedFetch: fetch, allowLoopback: false }, { ...sending, url });

test('2xx is success, 410 is the end, and redirects and all else are failures', async () => {
  for (const status of [200, 201, 204, 299])
    expect(await send(answer(status))).toMatchObject({ result: 'delivered', error: null });
  for (const status of [301, 302, 307, 308]) expect((await send(answer(status))).error).toMatch(/redirects/);
  for (const status of [400, 401, 404, 429, 500, 503]) expect((await send(answer(status))).result).toBe('failed');
  expect((await send(answer(410))).result).toBe('gone');
});

test('a fault of the connection is a failure that says what happened', async () => {
  const failing: GuardedFetch = async () => {
    throw new GuardedFetchError('timeout', 'No whole answer within 15000 ms.');
  };
  expect(await send(failing)).toMatchObject({
    result: 'failed',
    statusCode: null,
    error: expect.stringMatching(/15000/),
  });
});

test('of the answer a readable beginning is kept', async () => {
  const { excerpt } = await send(answer(500, `a\u0000b\u001b[31m${'c'.repeat(5_000)}`));
  expect(excerpt).toMatch(/^a b \[31mc+$/);
  expect(excerpt?.length).toBe(1_000);
});

test('outside of development only https and public addresses are called', async () => {
  for (const url of [
    'http://example.com/',
    'https://127.0.0.1/',
    'https://10.0.0.1/',
    'https://169.254.169.254/',
    'ftp://example.com',
  ]) {
    expect(await send(guardedFetch, url)).toMatchObject({ result: 'failed', statusCode: null });
  }
});
