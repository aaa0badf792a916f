import type { CompiledTool } from '../../agent-files/definition/compiled.ts';
import { backOffMs } from '../../process/back-off.ts';
import { type GuardedFetch, GuardedFetchError, type GuardedResponse } from '../../process/outbound/guarded-fetch.ts';
import { sleep } from '../../process/sleep.ts';
import type { Variables } from '../../process/variables.ts';
import { retryAfterMs } from '../retry-after.ts';
import { type Answer, hintOf, readAnswer, textOf, tryJson } from './answer.ts';
import { type HttpToolRequest, type HttpToolRun, requestOf } from './http-request.ts';
import { UnusableArgument } from './http-url.ts';
import { effectUnknown, failed, seconds, type ToolResult } from './result.ts';

export interface HttpToolDeps {
  fetch: GuardedFetch;
  /** Where secrets and base addresses are looked up. */
  env: Variables;
  /** Development: the machine itself may be called, and without TLS. */
  allowLoopback: boolean;
  /** Told what the model is not: faults of the declaration and of the connection. Never arguments or answers. */
  onFault?: (fault: { tool: string; reason: string }) => void;
}

const mostAttempts = 3;
const firstPauseMs = 200;
/** Repeating these changes nothing (RFC 9110, 9.2.2). */
const idempotentMethods: ReadonlySet<string> = new Set(['GET', 'PUT', 'DELETE']);

/**
 * Calls a customer's endpoint for a tool. A call that failed in passing is made again, under the same id and within the
 * tool's timeout, when its method or its declaration allows that. Does not throw: what went wrong is a sentence for the model.
 */
export async function runHttpTool(deps: HttpToolDeps, tool: CompiledTool, run: HttpToolRun): Promise<ToolResult> {
  try {
    const response = await fetchWithRetries(deps, tool, run);
    return resultOf(tool, response);
  } catch (error) {
    if (error instanceof UnusableArgument) return failed(`${error.message} ${tool.name} did not run.`);
    const reason = error instanceof Error ? error.message : String(error);
    deps.onFault?.({ tool: tool.name, reason });
    return failed(sentenceFor(tool, error));
  }
}

type Outcome = { response: GuardedResponse } | { error: unknown };

async function fetchWithRetries(deps: HttpToolDeps, tool: CompiledTool, run: HttpToolRun): Promise<GuardedResponse> {
  const deadline = performance.now() + tool.timeoutMs;
  const request = requestOf(deps.env, tool, run);
  const mayRepeat = tool.idempotent || idempotentMethods.has(request.method);
  for (let attempt = 1; ; attempt += 1) {
    const leftMs = Math.ceil(deadline - performance.now());
    const outcome = await fetchOnce(deps, tool, { request, run, timeoutMs: Math.max(1, leftMs) });
    const pauseMs = pauseAfter(outcome, attempt);
    const isLast = !mayRepeat || attempt >= mostAttempts || pauseMs === undefined;
    if (isLast || performance.now() + pauseMs >= deadline) {
      if ('error' in outcome) throw outcome.error;
      return outcome.response;
    }
    await sleep(pauseMs, run.signal).catch(() => {
      throw new GuardedFetchError('aborted', 'The call was given up between two attempts.');
    });
  }
}

function fetchOnce(
  { fetch, allowLoopback }: HttpToolDeps,
  { http }: CompiledTool,
  { request, run, timeoutMs }: { request: HttpToolRequest; run: HttpToolRun; timeoutMs: number },
): Promise<Outcome> {
  const options = {
    method: request.method,
    ...request.parts(new Date()),
    timeoutMs,
    maxBytes: http?.maxResponseBytes ?? 0,
    allowLoopback,
    ...(run.signal && { signal: run.signal }),
  };
  return fetch(request.url, options).then(
    (response) => ({ response }),
    (error: unknown) => ({ error }),
  );
}

/** How long to wait before the next attempt; undefined when another one would change nothing. */
function pauseAfter(outcome: Outcome, attempt: number): number | undefined {
  const pauseMs = backOffMs(attempt, { firstMs: firstPauseMs });
  if ('error' in outcome) {
    const isPassing = outcome.error instanceof GuardedFetchError && outcome.error.fault === 'unreachable';
    return isPassing ? pauseMs : undefined;
  }
  const { status, headers } = outcome.response;
  if (status !== 429 && status < 500) return undefined;
  return Math.max(pauseMs, retryAfterMs({ get: (name) => headers[name] ?? null }) ?? 0);
}

function resultOf(tool: CompiledTool, { status, headers, body, truncated }: GuardedResponse): ToolResult {
  const { name } = tool;
  const answer = { bytes: body, truncated };
  if (status >= 200 && status < 300) {
    const unreadable = `The service behind ${name} answered with something that cannot be read.${effectUnknown(tool)}`;
    return isBroken(headers, answer) ? failed(unreadable) : readAnswer(answer, unreadable);
  }
  if (status >= 300 && status < 400)
    return failed(`The service behind ${name} is not set up rightly, so ${name} did not run.`);
  if (status >= 500)
    return failed(`The service behind ${name} is failing right now (status ${status}).${effectUnknown(tool)}`);
  const hint = hintIn(textOf(answer));
  return failed(`The service refused ${name} (status ${status})${hint ? `: ${hint}` : '.'}`);
}

/** JSON that is none, or a page for people: that is somebody else's answer, a proxy's or that of a sign-in. */
function isBroken(headers: Record<string, string>, answer: Answer): boolean {
  const text = textOf(answer);
  if (!text || (answer.truncated && !/html/iu.test(headers['content-type'] ?? ''))) return false;
  return /json|html/iu.test(headers['content-type'] ?? '') && tryJson(text) === undefined;
}

function hintIn(text: string | undefined): string {
  const answer = text === undefined ? undefined : tryJson(text);
  if (typeof answer !== 'object' || answer === null) return '';
  const { message, error } = answer as { message?: unknown; error?: unknown };
  const hint = [message, error].find((words) => typeof words === 'string');
  return typeof hint === 'string' ? hintOf(hint) : '';
}

function sentenceFor(tool: CompiledTool, error: unknown): string {
  const { name, timeoutMs } = tool;
  const fault = error instanceof GuardedFetchError ? error.fault : undefined;
  if (fault === 'timeout') return `${name} did not answer within ${seconds(timeoutMs)}.${effectUnknown(tool)}`;
  if (fault === 'aborted') return `${name} was given up before it answered.${effectUnknown(tool)}`;
  if (fault === 'unreachable') return `The service behind ${name} could not be reached.${effectUnknown(tool)}`;
  return `${name} is not set up rightly and cannot be used now.`;
}
