/** Callers of an HTTP API, in a process of their own. */
import { Pool } from 'undici';
import { serve } from '../remote.ts';

export interface Load {
  origin: string;
  path: string;
  headers: Record<string, string>;
  body: string;
  callers: number;
  requests: number;
  /** Requests begin at this rate whether or not earlier ones were answered; absent: each caller asks again at once. */
  perSecond?: number;
}

export interface LoadResult {
  /** From the moment a request was due to its whole answer, in milliseconds. */
  latenciesMs: number[];
  requestsPerSecond: number;
  /** Answers other than 200, by status, with the first one's text. */
  failed: { status: number; times: number; text: string }[];
}

/** Each request comes from an address of its own, as visitors of a page do. */
let address = 0;
function nextAddress(): string {
  address = (address + 1) % 2 ** 24;
  return `10.${(address >> 16) & 255}.${(address >> 8) & 255}.${address & 255}`;
}

async function load(options: Load): Promise<LoadResult> {
  const pool = new Pool(options.origin, { connections: options.callers, pipelining: 1 });
  const run: Run = { pool, options, latenciesMs: [], failed: new Map() };
  const began = performance.now();
  if (options.perSecond === undefined) await inTurn(run);
  else await onSchedule(run, options.perSecond);
  const seconds = (performance.now() - began) / 1000;
  await pool.close();
  return {
    latenciesMs: run.latenciesMs,
    requestsPerSecond: options.requests / seconds,
    failed: [...run.failed.values()],
  };
}

interface Run {
  pool: Pool;
  options: Load;
  latenciesMs: number[];
  failed: Map<number, { status: number; times: number; text: string }>;
}

async function inTurn(run: Run): Promise<void> {
  let left = run.options.requests;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      await request(run, performance.now());
    }
  };
  await Promise.all(Array.from({ length: run.options.callers }, caller));
}

async function onSchedule(run: Run, perSecond: number): Promise<void> {
  const began = performance.now();
  const asked: Promise<void>[] = [];
  while (asked.length < run.options.requests) {
    const due = began + (asked.length / perSecond) * 1000;
    const early = due - performance.now();
    if (early > 1) await new Promise((resolve) => setTimeout(resolve, early));
    asked.push(request(run, due));
  }
  await Promise.all(asked);
}

async function request({ pool, options, latenciesMs, failed }: Run, due: number): Promise<void> {
  const answer = await pool.request({
    method: 'POST',
    path: options.path,
    headers: { ...options.headers, 'x-forwarded-for': nextAddress() },
    body: options.body,
  });
  const text = await answer.body.text();
  latenciesMs.push(performance.now() - due);
  if (answer.statusCode === 200) return;
  const known = failed.get(answer.statusCode);
  if (known) known.times += 1;
  else failed.set(answer.statusCode, { status: answer.statusCode, times: 1, text: text.slice(0, 300) });
}

export const commands = { load };

serve(commands);
