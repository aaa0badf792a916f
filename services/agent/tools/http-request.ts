import type { CompiledTool, HttpToolCall, SecretReference } from '../../agent-files/definition/compiled.ts';
import type { GuardedRequest } from '../../process/outbound/guarded-fetch.ts';
import type { Variables } from '../../process/variables.ts';
import { fillUrl, ToolMisconfigured, UnusableArgument } from './http-url.ts';
import { signCall } from './sign.ts';

export interface HttpToolRun {
  args: Readonly<Record<string, unknown>>;
  /** Becomes the `Idempotency-Key`: the endpoint can tell a repeated call from a new one. */
  callId: string;
  /** The agent's secrets (`sk_…`) that sign the request; none where there is no agent with credentials, as in a scenario. */
  secrets?: readonly string[];
  signal?: AbortSignal;
}

export interface HttpToolRequest {
  url: string;
  method: HttpToolCall['method'];
  /** To be sent at this moment: the signature tells the time. */
  parts(at: Date): Required<Pick<GuardedRequest, 'headers'>> & Pick<GuardedRequest, 'body'>;
}

/**
 * The request of a call. Arguments go where the URL names them; the others are the JSON body of POST, PUT and PATCH, and the
 * query of GET and DELETE.
 *
 * @throws ToolMisconfigured, UnusableArgument
 */
export function requestOf(env: Variables, { http }: CompiledTool, run: HttpToolRun): HttpToolRequest {
  if (!http) throw new ToolMisconfigured('It is no http tool.');
  const { method } = http;
  const filled = fillUrl(http.url, run.args, env);
  const rest = Object.entries(run.args).filter(([name, value]) => !filled.used.has(name) && value !== undefined);
  const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  const url = hasBody ? filled.url : withQuery(filled.url, rest);
  const body = hasBody ? JSON.stringify(Object.fromEntries(rest)) : undefined;
  const headers = {
    accept: 'application/json, text/plain;q=0.9',
    ...(hasBody && { 'content-type': 'application/json' }),
    ...headersOf(http.headers, env),
    'idempotency-key': run.callId,
  };
  const { secrets = [] } = run;
  const signed = { id: run.callId, method, target: targetOf(url), body: body ?? '' };
  return {
    url,
    method,
    parts: (at) => ({
      headers: { ...headers, ...(secrets.length > 0 && { 'x-signature': signCall({ ...signed, at }, secrets) }) },
      ...(body !== undefined && { body }),
    }),
  };
}

function targetOf(url: string): string {
  if (!URL.canParse(url)) throw new ToolMisconfigured('Its address is none.');
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}

function headersOf(headers: HttpToolCall['headers'], env: Variables): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), headerValue(name, value, env)]),
  );
}

function headerValue(name: string, value: string | SecretReference, env: Variables): string {
  const text = typeof value === 'string' ? value : env[value.env];
  const source = typeof value === 'string' ? `The header ${name}` : value.env;
  if (!text && typeof value !== 'string') throw new ToolMisconfigured(`${source} is not set in the environment.`);
  if (text === undefined || /[^\t\x20-\x7e\x80-\xff]/u.test(text))
    throw new ToolMisconfigured(`${source} has a character that no header can carry, such as a line break.`);
  return text;
}

/** Lists repeat their name; objects go as JSON. What the address itself says stays as it is. */
function withQuery(url: string, args: [string, unknown][]): string {
  if (!URL.canParse(url) || args.length === 0) return url;
  const target = new URL(url);
  const fixed = new Set(target.searchParams.keys());
  for (const [name, value] of args) {
    if (fixed.has(name)) throw new UnusableArgument(`"${name}" is part of the address already.`);
    for (const item of [value].flat()) {
      if (item === null || item === undefined) continue;
      target.searchParams.append(name, typeof item === 'object' ? JSON.stringify(item) : String(item));
    }
  }
  return target.href;
}
