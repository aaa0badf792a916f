import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface EndpointRequest {
  method: string;
  /** Path and query as they came. */
  target: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A customer's endpoint that answers as a test wants it to, and remembers every request byte for byte. */
export interface ToolEndpoint extends AsyncDisposable {
  url: string;
  requests: EndpointRequest[];
}

export async function startToolEndpoint(
  answer: (response: ServerResponse, request: EndpointRequest) => unknown,
): Promise<ToolEndpoint> {
  const requests: EndpointRequest[] = [];
  const server = createServer(async (message, response) => {
    const body = Buffer.concat(await message.toArray()).toString();
    const request = { method: message.method ?? '', target: message.url ?? '', headers: message.headers, body };
    requests.push(request);
    await answer(response, request);
  }).listen(0, '127.0.0.1');
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
