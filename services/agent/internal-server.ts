import { createServer, type Server } from 'node:http';
import { Gauge, Registry } from '@prometheus-io/client';
import { collectProcessMetrics } from '../process/metrics.ts';
import type { Database } from '../store/database.ts';
import type { AgentHost } from './host/agent-host.ts';
import type { TurnMetrics } from './turn-metrics.ts';

/** `/livez`, `/readyz` and `/metrics` of one host, on a port that is never public. */
export function makeInternalServer(host: AgentHost, db: Pick<Database, 'load'>, turns: TurnMetrics): Server {
  const registry = new Registry();
  collectProcessMetrics(registry, db);
  turns.register(registry);
  for (const [name, help] of [
    ['live', 'Conversations on this host'],
    ['starting', 'Conversations being taken up'],
    ['warm', 'Rooms kept ready'],
    ['capacity', 'Conversations this host carries at most'],
  ] as const) {
    new Gauge({
      name: `parley_agent_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(host.figures()[name]);
      },
    });
  }
  return createServer((request, response) => {
    const answer = (status: number, body: string, type = 'application/json') =>
      response.writeHead(status, { 'content-type': type }).end(body);
    if (request.url === '/livez') return answer(200, '{"status":"ok"}');
    if (request.url === '/readyz')
      return answer(
        host.ready ? 200 : 503,
        JSON.stringify({ status: host.ready ? 'ok' : 'not_ready', host: host.id, ...host.figures() }),
      );
    if (request.url === '/metrics')
      return void registry.metrics().then((text) => answer(200, text, registry.contentType));
    return answer(404, '{"code":"not_found","message":"There is nothing at this address."}');
  });
}
