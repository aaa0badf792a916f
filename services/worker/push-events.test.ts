import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { bestEffort } from '../process/best-effort.ts';
import { receivePushEvent } from './push-events.ts';

const secret = 'shared';
const body = '{"ref":"refs/heads/main"}';
const signature = createHmac('sha256', secret).update(body).digest('hex');
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Sends one event; gives the status (undefined when the connection was closed) and how often the source was nudged. */
async function send(request: RequestInit, known: string | undefined = secret) {
  let nudges = 0;
  const nudge = () => {
    nudges += 1;
  };
  const server = createServer((incoming, response) => {
    void receivePushEvent(incoming, { secret: known, nudge }).then(({ status }) =>
      response.writeHead(status, { connection: 'close' }).end(),
    );
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const asked = fetch(`http://127.0.0.1:${port}/push-events`, { method: 'POST', ...request });
  const answer = await bestEffort('a connection that is cut has no answer', asked);
  return { status: answer?.status, nudges };
}

test.each<[string, Record<string, string>]>([
  ['GitHub', { 'x-hub-signature-256': `sha256=${signature}` }],
  ['Gitea', { 'x-gitea-signature': signature }],
  ['GitLab', { 'x-gitlab-token': secret }],
])('a signed event of %s nudges once', async (_, headers) => {
  expect(await send({ headers, body })).toEqual({ status: 202, nudges: 1 });
});

test('an unsigned or wrongly signed event nudges nobody', async () => {
  expect(await send({ body })).toEqual({ status: 401, nudges: 0 });
  expect(await send({ headers: { 'x-gitea-signature': signature }, body: `${body} ` })).toEqual({
    status: 401,
    nudges: 0,
  });
});

test('an event is a POST, and is not taken where no secret is set', async () => {
  expect(await send({ method: 'GET' })).toEqual({ status: 405, nudges: 0 });
  const { status, nudges } = await send({ headers: { 'x-gitlab-token': '' }, body }, '');
  expect([status, nudges]).toEqual([401, 0]);
});

test('an event beyond the limit is not read to its end, whoever signed it', async () => {
  const { status, nudges } = await send({ headers: { 'x-gitlab-token': secret }, body: 'x'.repeat(26 * 1024 * 1024) });
  expect([413, undefined]).toContain(status);
  expect(nudges).toBe(0);
});
