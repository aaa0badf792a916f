import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Registry } from '@prometheus-io/client';

export interface Lifecycle {
  state: 'starting' | 'serving' | 'stopping';
}

/** `/livez`, `/readyz` (this process only, so that an outage restarts nobody) and `/metrics`, on a port that is never public. */
export async function openInternalServer(
  { lifecycle, registry }: { lifecycle: Lifecycle; registry: Registry },
  { port, bind }: { port: number; bind: string },
): Promise<Server> {
  const server = createServer((request, response) => {
    const answer = (status: number, body: string, type = 'application/json; charset=utf-8') =>
      response.writeHead(status, { 'content-type': type }).end(body);
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
