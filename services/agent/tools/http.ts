import type { CompiledTool, HttpToolCall, SecretReference } from '../../contract/agents/compiled.ts';
import {
  type GuardedFetch,
  GuardedFetchError,
  type GuardedRequest,
  type GuardedResponse,
} from '../../core/guarded-fetch.ts';
import { type Environment, fillUrl, ToolMisconfigured, UnusableArgument } from './http-url.ts';
import { failed, succeeded, type ToolResult } from './result.ts';

export interface HttpToolDeps {
  fetch: GuardedFetch;
  /** Where secrets and base addresses are looked up. */
  env: Environment;
  /** Development: the machine itself may be called, and without TLS. */
  allowLoopback: boolean;
  /** Told what the model is not: faults of the declaration and of the connection. Never arguments or answers. */
  onFault?: (fault: { tool: string; reason: string }) => void;
}

export interface HttpToolRun {
  args: Readonly<Record<string, unknown>>;
  /** Becomes the `Idempotency-Key`: the endpoint can tell a repeated call from a new one. */
  callId: string;
  signal?: AbortSignal;
}

const longestHint = 300;

/**
 * Calls a customer's endpoint for a tool. Arguments go where the URL names them; the others are the JSON body of POST,
 * PUT and PATCH, and the query of GET and DELETE. Does not throw: what went wrong is a sentence for the model.
 */
export async function runHttpTool(deps: HttpToolDeps, tool: CompiledTool, run: HttpToolRun): Promise<ToolResult> {
  try {
    if (!tool.http) throw new ToolMisconfigured('It is no http tool.');
    const { url, request } = requestOf(deps, tool, tool.http, run);
    return readAnswer(tool.name, await deps.fetch(url, request));
  } catch (error) {
    if (error instanceof UnusableArgument) return failed(`${error.message} ${tool.name} did not run.`);
    const reason = error instanceof Error ? error.message : String(error);
    deps.onFault?.({ tool: tool.name, reason });
    return failed(sentenceFor(tool, error));
  }
}

function requestOf(deps: HttpToolDeps, tool: CompiledTool, http: HttpToolCall, run: HttpToolRun) {
  const { url, used } = fillUrl(http.url, run.args, deps.env);
  const rest = Object.entries(run.args).filter(([name, value]) => !used.has(name) && value !== undefined);
  const hasBody = http.method === 'POST' || http.method === 'PUT' || http.method === 'PATCH';
  const request: GuardedRequest = {
    method: http.method,
    headers: {
      accept: 'application/json, text/plain;q=0.9',
      ...(hasBody && { 'content-type': 'application/json' }),
      ...headersOf(http.headers, deps.env),
      'idempotency-key': run.callId,
    },
    ...(hasBody && { body: JSON.stringify(Object.fromEntries(rest)) }),
    timeoutMs: tool.timeoutMs,
    maxBytes: http.maxResponseBytes,
    allowLoopback: deps.allowLoopback,
    ...(run.signal && { signal: run.signal }),
  };
  return { url: hasBody ? url : withQuery(url, rest), request };
}

function headersOf(headers: HttpToolCall['headers'], env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), headerValue(value, env)]),
  );
}

function headerValue(value: string | SecretReference, env: Environment): string {
  if (typeof value === 'string') return value;
  const secret = env[value.env];
  if (!secret) throw new ToolMisconfigured(`${value.env} is not set in the environment.`);
  return secret;
}

/** Lists repeat their name; objects go as JSON. */
function withQuery(url: string, args: [string, unknown][]): string {
  if (!URL.canParse(url)) return url;
  const target = new URL(url);
  for (const [name, value] of args) {
    for (const item of [value].flat()) {
      if (item === null || item === undefined) continue;
      target.searchParams.append(name, typeof item === 'object' ? JSON.stringify(item) : String(item));
    }
  }
  return target.href;
}

function readAnswer(tool: string, response: GuardedResponse): ToolResult {
  const { status } = response;
  if (status >= 200 && status < 300) return succeeded(outputOf(response));
  if (status >= 300 && status < 400)
    return failed(`The service behind ${tool} is not set up rightly, so ${tool} did not run.`);
  if (status >= 500) return failed(`The service behind ${tool} is failing right now (status ${status}).`);
  const hint = hintOf(response);
  return failed(`The service refused ${tool} (status ${status})${hint ? `: ${hint}` : '.'}`);
}

/** JSON as a value, so that scripts can name its parts; anything else as text. Never undefined: the model must answer. */
function outputOf({ body, truncated }: GuardedResponse): unknown {
  const text = body.toString('utf8').trim();
  if (text === '') return 'It worked; there is nothing more to tell.';
  if (truncated) return `${text}\n[The answer was longer and was cut here.]`;
  return tryJson(text) ?? text;
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What the endpoint says of a refusal is meant for the conversation: "no table is free at that time". */
function hintOf({ body }: GuardedResponse): string {
  const answer = tryJson(body.toString('utf8'));
  if (typeof answer !== 'object' || answer === null) return '';
  const { message, error } = answer as { message?: unknown; error?: unknown };
  const hint = [message, error].find((text) => typeof text === 'string');
  return typeof hint === 'string' ? hint.replace(/\s+/gu, ' ').slice(0, longestHint) : '';
}

function sentenceFor({ name, timeoutMs }: CompiledTool, error: unknown): string {
  if (error instanceof GuardedFetchError && error.fault === 'timeout')
    return `${name} did not answer within ${timeoutMs / 1000} seconds. Whether it had an effect is not known.`;
  if (error instanceof GuardedFetchError && error.fault === 'aborted')
    return `${name} was given up before it answered.`;
  if (error instanceof GuardedFetchError && error.fault === 'unreachable')
    return `The service behind ${name} could not be reached. Whether it had an effect is not known.`;
  return `${name} is not set up rightly and cannot be used now.`;
}
