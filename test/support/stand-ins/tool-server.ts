import { startToolEndpoint } from './tool-endpoint.ts';

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
  const endpoint = await startToolEndpoint(async (response, { target, headers, body: text }) => {
    const body = JSON.parse(text || '{}') as Record<string, unknown>;
    requests.push({ path: target, idempotencyKey: headers['idempotency-key']?.toString(), body });
    await new Promise((resolve) => setTimeout(resolve, Number(body.milliseconds ?? 0)));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ label: body.label }));
  });
  return { url: endpoint.url, requests, [Symbol.asyncDispose]: () => endpoint[Symbol.asyncDispose]() };
}
