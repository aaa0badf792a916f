import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Registry } from '@prometheus-io/client';
import { type PushEventsOptions, receivePushEvent } from './push-events.ts';
import { receivePasses, type ScenarioPassesOptions } from './scenario-passes.ts';
import type { SignedRequestAnswer } from './signed-request.ts';

export interface Lifecycle {
  state: 'starting' | 'serving' | 'stopping';
}

export interface InternalServerOptions {
  lifecycle: Lifecycle;
  registry: Registry;
  pushEvents: PushEventsOptions;
  scenarioPasses: ScenarioPassesOptions;
}

/**
 * `/livez`, `/readyz` (this process only, so that an outage restarts nobody), `/metrics`, `/push-events` and `/scenario-passes`, on
 * a port that is not public: an operator whose Git host should reach it exposes the last two alone.
 */
export async function openInternalServer(
  { lifecycle, registry, pushEvents, scenarioPasses }: InternalServerOptions,
  { port, bind }: { port: number; bind: string },
): Promise<Server> {
  const server = createServer((request, response) => {
    const answer = (status: number, body: string, type = 'application/json; charset=utf-8') =>
      response.writeHead(status, { 'content-type': type }).end(body);
    const answerSigned = ({ status, ...body }: SignedRequestAnswer) => {
      // A body that was not read to its end would be taken for the next request.
      if (!request.complete) response.setHeader('connection', 'close');
      if (status === 405) response.setHeader('allow', 'POST');
      answer(status, JSON.stringify(body));
    };
    switch (request.url) {
      case '/livez':
        return answer(200, '{"status":"ok"}');
      case '/readyz':
        return lifecycle.state === 'serving'
          ? answer(200, '{"status":"ok"}')
          : answer(503, `{"code":"unavailable","message":"This process is ${lifecycle.state}."}`);
      case '/metrics':
        return void registry.metrics().then(
          (text) => answer(200, text, registry.contentType),
          () => answer(500, '{"code":"internal","message":"The metrics could not be collected."}'),
        );
      case '/push-events':
        return void receivePushEvent(request, pushEvents).then(answerSigned);
      case '/scenario-passes':
        return void receivePasses(request, scenarioPasses).then(answerSigned);
      default:
        return answer(404, '{"code":"not_found","message":"There is nothing at this address."}');
    }
  });
  server.listen(port, bind);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'EADDRINUSE' ? 'another program uses it' : (error.code ?? error.message);
    throw new Error(`Cannot listen on ${bind}:${port}: ${reason}. Choose another port.`, { cause: error });
  });
  return server;
}
