import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KubeApi } from './kube-api.ts';

/**
 * What names and addresses of Services are in a cluster, for a program that runs beside it: an HTTP proxy that knows
 * `http://<service>.<namespace>.svc.cluster.local:<port>` where the Service exists and has that port.
 */
export interface ServiceNetwork extends AsyncDisposable {
  readonly proxyUrl: string;
}

/** @param places the local port of each Service that somebody serves, by `<service>.<namespace>` */
export async function startServiceNetwork(
  api: KubeApi,
  places: Readonly<Record<string, number>>,
): Promise<ServiceNetwork> {
  const server = createServer((request, response) => {
    // Nobody listens, or there is no such Service: the caller loses its connection.
    pass(api, places, request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    proxyUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Longer than KEDA waits, which is 3 s. */
const answerWithinMs = 10_000;

async function pass(
  api: KubeApi,
  places: Readonly<Record<string, number>>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { hostname, port, pathname, search } = new URL(request.url ?? '');
  const [name = '', namespace = ''] = hostname.split('.');
  const service = await api.read({ apiVersion: 'v1', kind: 'Service', name, namespace });
  const ports = (service?.spec as { ports?: { port: number }[] } | undefined)?.ports ?? [];
  const place = places[`${name}.${namespace}`];
  if (place === undefined || !ports.some((one) => String(one.port) === port))
    throw new Error(`nobody is at ${hostname}:${port}`);
  const answer = await fetch(`http://127.0.0.1:${place}${pathname}${search}`, {
    signal: AbortSignal.timeout(answerWithinMs),
  });
  const body = Buffer.from(await answer.arrayBuffer());
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' }).end(body);
}
