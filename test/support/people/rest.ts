import { createHmac } from 'node:crypto';

/** An answer of the REST API with its JSON read; `body` is empty where there was none. */
export interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
  text: string;
}

export interface Asked {
  key?: string | undefined;
  headers?: Record<string, string>;
  /** An object is sent as JSON; a text or bytes as they are, without a content type unless `headers` has one. */
  body?: object | string | Buffer;
}

/** One request as a program sends it: no browser rules. */
export async function ask(
  baseUrl: string,
  method: string,
  path: string,
  { key, headers = {}, body }: Asked = {},
): Promise<Answer> {
  const raw = typeof body === 'string' || Buffer.isBuffer(body);
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined || raw ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: raw ? (body as BodyInit) : JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await textOf(response);
  return { status: response.status, headers: response.headers, body: parse(text), text };
}

/** Of a stream of events what comes first: it does not end by itself. */
async function textOf(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
  const reader = response.body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return new TextDecoder().decode(first?.value);
}

function parse(text: string): Record<string, unknown> {
  try {
    return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  } catch {
    return {};
  }
}

/** X-Signature as docs/call/rest.md describes it, written apart from the product's code. */
export function signatureHeader(
  secret: string,
  { method, path, body, at = Date.now() }: { method: string; path: string; body: string; at?: number },
): string {
  const t = Math.floor(at / 1000);
  const bytes = Buffer.from(secret.slice('sk_'.length), 'base64url');
  return `t=${t},v1=${createHmac('sha256', bytes).update(`${t}.${method}.${path}.${body}`).digest('hex')}`;
}
