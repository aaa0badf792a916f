import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ToolRequest {
  path: string;
  idempotencyKey: string | undefined;
  body: Record<string, unknown>;
}

/** A customer's endpoint: answers `POST /wait {milliseconds, label}` after so long, and remembers what it was asked. */
export interface ToolServer extends AsyncDisposable {
  url: string;
  requests: ToolRequest[];
}

export async function startToolServer(): Promise<ToolServer> {
  const requests: ToolRequest[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse((await request.toArray()).join('') || '{}') as Record<string, unknown>;
    requests.push({ path: request.url ?? '', idempotencyKey: request.headers['idempotency-key']?.toString(), body });
    await new Promise((resolve) => setTimeout(resolve, Number(body.milliseconds ?? 0)));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ label: body.label }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
