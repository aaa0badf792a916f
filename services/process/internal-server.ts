import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { Registry } from '@prometheus-io/client';
import { type Address, listen } from './listen.ts';

/** What a process says of itself to balancers and schedulers. */
export interface Readiness {
  /** `ok`, or why it takes nothing: `starting`, `stopping`, … */
  status: string;
  /** Shown beside it. */
  facts?: Record<string, unknown>;
}

export interface InternalParts {
  registry: Pick<Registry, 'metrics' | 'contentType'>;
  readiness: () => Readiness;
  /** Whatever else a process answers here; without it there is nothing else. */
  other?: RequestListener;
}

/** A server on a port that is never public. */
export interface InternalServer {
  port: number;
  close(): void;
}

export async function openInternalServer(parts: InternalParts, address: Address): Promise<InternalServer> {
  const server = createServer(internalListener(parts));
  return { port: await listen(server, address), close: () => void server.close() };
}

/**
 * `/livez` checks nothing; `/readyz` only this process itself, so that an outage of the database never empties a balancer and
 * restarts nobody; `/metrics` is in Prometheus' text format.
 */
export function internalListener({ registry, readiness, other = nothingHere }: InternalParts): RequestListener {
  const answers: Record<string, (response: ServerResponse) => unknown> = {
    '/livez': (response) => sendJson(response, 200, { status: 'ok' }),
    '/readyz': (response) => sendReadiness(response, readiness()),
    '/metrics': (response) =>
      registry.metrics().then(
        (text) => send(response, 200, text, registry.contentType),
        () => sendJson(response, 500, { code: 'internal', message: 'The metrics could not be collected.' }),
      ),
  };
  return (request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    const answer = ['GET', 'HEAD'].includes(request.method ?? '') && Object.hasOwn(answers, path) && answers[path];
    if (answer) void answer(response);
    else other(request, response);
  };
}

function sendReadiness(response: ServerResponse, { status, facts = {} }: Readiness): void {
  if (status === 'ok') return sendJson(response, 200, { status, ...facts });
  const message = `This process is ${status.replaceAll('_', ' ')}.`;
  sendJson(response, 503, { status, code: 'unavailable', message, ...facts });
}

export const sendJson = (response: ServerResponse, status: number, body: object): void =>
  send(response, status, JSON.stringify(body), 'application/json; charset=utf-8');

const nothingHere: RequestListener = (_request, response) =>
  sendJson(response, 404, { code: 'not_found', message: 'There is nothing at this address.' });

const send = (response: ServerResponse, status: number, body: string, type: string): void =>
  void response.writeHead(status, { 'content-type': type }).end(body);
