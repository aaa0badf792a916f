import type { CompiledTool } from '../../agent-files/definition/compiled.ts';
import { backOffMs } from '../../process/back-off.ts';
import { type GuardedFetch, GuardedFetchError, type GuardedResponse } from '../../process/outbound/guarded-fetch.ts';
import { sleep } from '../../process/sleep.ts';
import type { Variables } from '../../process/variables.ts';
import { retryAfterMs } from '../retry-after.ts';
import { type Answer, hintOf, readAnswer, textOf, tryJson } from './answer.ts';
import { type HttpToolRequest, type HttpToolRun, requestOf } from './http-request.ts';
import { UnusableArgument } from './http-url.ts';
import { failed, onlyReads, seconds, type ToolMiss, type ToolResult, unanswered, unknown } from './result.ts';

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
    return await callWithRetries(deps, tool, run);
  } catch (error) {
    if (error instanceof UnusableArgument) return failed(`${error.message} ${tool.name} did not run.`);
    return faulted(deps, tool, error);
  }
}

type Outcome = { response: GuardedResponse } | { error: unknown };

async function callWithRetries(deps: HttpToolDeps, tool: CompiledTool, run: HttpToolRun): Promise<ToolResult> {
  const deadline = performance.now() + tool.timeoutMs;
  const request = requestOf(deps.env, tool, run);
  const mayRepeat = tool.idempotent || idempotentMethods.has(request.method);
  let mayHaveWorked = false;
  for (let attempt = 1; ; attempt += 1) {
    const leftMs = Math.ceil(deadline - performance.now());
    const outcome = await fetchOnce(deps, tool, { request, run, timeoutMs: Math.max(1, leftMs) });
    const result = 'error' in outcome ? faulted(deps, tool, outcome.error) : resultOf(tool, outcome.response);
    const pauseMs = pauseAfter(outcome, attempt);
    const isLast = !mayRepeat || attempt >= mostAttempts || pauseMs === undefined;
    if (isLast || performance.now() + pauseMs >= deadline) return inDoubt(result, mayHaveWorked);
    mayHaveWorked ||= result.status === 'unknown';
    const isGivenUp = await sleep(pauseMs, run.signal).then(
      () => false,
      () => true,
    );
    if (isGivenUp) return inDoubt(failed(`${tool.name} was given up before it was tried again.`), mayHaveWorked);
  }
}

/** A refusal says nothing of an attempt before it that nobody answered. */
const inDoubt = (result: ToolResult, mayHaveWorked: boolean): ToolResult =>
  mayHaveWorked && result.status === 'failed' ? unknown(result.message) : result;

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
    const unreadable = unanswered(tool, `The service behind ${name} answered with something that cannot be read.`);
    return isBroken(headers, answer) ? unreadable : readAnswer(answer, unreadable);
  }
  // The answer to a call that was made is to be had elsewhere (RFC 9110, 15.4.4).
  if (status === 303 && !onlyReads(tool)) return unknown(`The service behind ${name} is not set up rightly.`);
  if (status >= 300 && status < 400)
    return failed(`The service behind ${name} is not set up rightly, so ${name} did not run.`);
  if (status >= 500) return unanswered(tool, `The service behind ${name} is failing right now (status ${status}).`);
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

function faulted({ onFault }: HttpToolDeps, tool: CompiledTool, error: unknown): ToolMiss {
  const { name, timeoutMs } = tool;
  onFault?.({ tool: name, reason: error instanceof Error ? error.message : String(error) });
  const { fault = undefined, isUnsent = false } = error instanceof GuardedFetchError ? error : {};
  if (fault === 'timeout') return unanswered(tool, `${name} did not answer within ${seconds(timeoutMs)}.`);
  if (fault === 'aborted') return unanswered(tool, `${name} was given up before it answered.`);
  if (fault !== 'unreachable') return failed(`${name} is not set up rightly and cannot be used now.`);
  const message = `The service behind ${name} could not be reached.`;
  return isUnsent ? failed(message) : unanswered(tool, message);
}
