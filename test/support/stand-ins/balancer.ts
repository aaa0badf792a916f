import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setInterval as every } from 'node:timers/promises';
import { Pool } from 'undici';

export interface Target {
  port: number;
  internalPort: number;
}

/**
 * Stands in for a load balancer in front of several API processes: asks each for its readiness, gives requests to those that
 * said yes in turn, and repeats nothing. A target that can't be reached is a 502 for the caller.
 */
export interface Balancer extends AsyncDisposable {
  readonly url: string;
  add(target: Target): void;
  /** Whether the target gets requests at the moment. */
  uses(target: Target): boolean;
}

const checkEveryMs = 250;

interface Upstream {
  target: Target;
  pool: Pool;
  isReady: boolean;
}

export async function startBalancer(): Promise<Balancer> {
  const upstreams: Upstream[] = [];
  let turn = 0;
  const next = (): Upstream | undefined => {
    const ready = upstreams.filter(({ isReady }) => isReady);
    turn += 1;
    return ready[turn % ready.length];
  };
  const server = createServer((request, response) => void pass(request, response, next()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stopping = new AbortController();
  const checking = checkAgainAndAgain(upstreams, stopping.signal);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (target) => void upstreams.push({ target, pool: poolOf(target), isReady: false }),
    uses: (target) => upstreams.some((upstream) => upstream.target === target && upstream.isReady),
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await checking;
      server.closeAllConnections();
      server.close();
      await Promise.all(upstreams.map(({ pool }) => pool.destroy()));
    },
  };
}

const poolOf = ({ port }: Target) => new Pool(`http://127.0.0.1:${port}`, { connections: 32, pipelining: 1 });

async function checkAgainAndAgain(upstreams: readonly Upstream[], signal: AbortSignal): Promise<void> {
  try {
    for await (const _ of every(checkEveryMs, undefined, { signal })) await Promise.all(upstreams.map(check));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function check(upstream: Upstream): Promise<void> {
  const url = `http://127.0.0.1:${upstream.target.internalPort}/readyz`;
  upstream.isReady = await fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function pass(request: IncomingMessage, response: ServerResponse, upstream: Upstream | undefined): Promise<void> {
  if (!upstream) return void response.writeHead(503).end('no target is ready');
  const { host: _host, connection: _connection, ...headers } = request.headers;
  const { remoteAddress = '' } = request.socket;
  try {
    const answer = await upstream.pool.request({
      method: request.method as 'GET',
      path: request.url ?? '/',
      headers: {
        ...headers,
        'x-forwarded-for': [headers['x-forwarded-for'], remoteAddress].filter(Boolean).join(', '),
      },
      body: request.method === 'GET' ? null : request,
    });
    const { connection: _ours, 'keep-alive': _too, ...kept } = answer.headers;
    response.writeHead(answer.statusCode, kept);
    answer.body.pipe(response);
  } catch (error) {
    if (!response.headersSent) response.writeHead(502);
    response.end(String(error));
  }
}
