import { type Dispatcher, request } from 'undici';
import { isOfConnecting, LeadsInside, openPools } from './reach.ts';
import { type Resolve, resolverOfNames } from './resolve.ts';

export interface GuardedRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** For everything: name, connection, and the whole answer. */
  timeoutMs: number;
  /** Of the answer's body; what follows is not read. */
  maxBytes: number;
  /** Development only: the machine itself may be called, and without TLS. */
  allowLoopback?: boolean;
  /** The address is a setting of the operator's own, and may lead into a private network. */
  allowInside?: boolean;
  signal?: AbortSignal;
}

export interface GuardedResponse {
  status: number;
  /** By lower-case name. */
  headers: Record<string, string>;
  body: Buffer;
  /** The body was longer than `maxBytes`. */
  truncated: boolean;
}

/**
 * - `invalid_url`: not an absolute https address (http too with `allowLoopback`), or one with credentials in it.
 * - `blocked`: it leads inside; nothing was connected to.
 * - `unreachable`: no such name, no connection, a broken or unreadable answer.
 * - `timeout`, `aborted` (by the caller's signal).
 */
export type GuardedFetchFault = 'invalid_url' | 'blocked' | 'unreachable' | 'timeout' | 'aborted';

export class GuardedFetchError extends Error {
  readonly fault: GuardedFetchFault;
  /** `unreachable` before there was a connection: nothing of the request has left. */
  readonly isUnsent: boolean;

  constructor(fault: GuardedFetchFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'GuardedFetchError';
    this.fault = fault;
    this.isUnsent = fault === 'unreachable' && isOfConnecting(options?.cause);
  }
}

export type GuardedFetch = (url: string, options: GuardedRequest) => Promise<GuardedResponse>;

/**
 * Calls an address that a customer chose, or with `allowInside` the operator. Each address a name resolves to is checked, and the very address that was
 * checked is the one connected to, so a name that changes its answer in between gains nothing. Redirects are not
 * followed: the caller gets the 3xx.
 *
 * @throws GuardedFetchError
 */
export const guardedFetch: GuardedFetch = makeGuardedFetch(resolverOfNames());

/** With a resolver of one's own, for tests. */
export function makeGuardedFetch(resolve: Resolve): GuardedFetch {
  const pools = openPools(resolve);
  return async (url, options) => {
    const { timeoutMs, signal, allowLoopback = false, allowInside = false } = options;
    const target = targetOf(url, allowLoopback);
    const deadline = AbortSignal.timeout(timeoutMs);
    try {
      return await exchange(target, options, {
        dispatcher: pools[allowInside ? 'anywhere' : allowLoopback ? 'machine' : 'outside'],
        signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      });
    } catch (error) {
      if (signal?.aborted) throw new GuardedFetchError('aborted', 'The request was given up.', { cause: error });
      if (deadline.aborted)
        throw new GuardedFetchError('timeout', `No whole answer within ${timeoutMs} ms.`, { cause: error });
      throw toFault(error);
    }
  };
}

function targetOf(url: string, allowLoopback: boolean): URL {
  const target = URL.canParse(url) ? new URL(url) : undefined;
  const schemes = allowLoopback ? ['https:', 'http:'] : ['https:'];
  if (!target || !schemes.includes(target.protocol))
    throw new GuardedFetchError('invalid_url', 'The address must be absolute and start with https://.');
  if (target.username || target.password)
    throw new GuardedFetchError('invalid_url', 'The address must not carry a user name or a password.');
  return target;
}

interface Transport {
  dispatcher: Dispatcher;
  signal: AbortSignal;
}

async function exchange(target: URL, options: GuardedRequest, transport: Transport): Promise<GuardedResponse> {
  const { method = 'GET', headers = {}, body = null, maxBytes } = options;
  const answer = await request(target, { ...transport, method, headers, body });
  const encoding = answer.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    // A body that is thrown away reports that as an error, and an unheard one ends the process.
    answer.body.on('error', () => {}).destroy();
    throw new GuardedFetchError('unreachable', 'The answer is compressed, which was not asked for.');
  }
  const { bytes, truncated } = await readUpTo(answer.body, maxBytes);
  return { status: answer.statusCode, headers: plainHeaders(answer.headers), body: bytes, truncated };
}

/** Leaving the loop early ends the connection. */
async function readUpTo(body: AsyncIterable<Buffer>, maxBytes: number): Promise<{ bytes: Buffer; truncated: boolean }> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    parts.push(part);
    size += part.length;
    if (size > maxBytes) return { bytes: Buffer.concat(parts).subarray(0, maxBytes), truncated: true };
  }
  return { bytes: Buffer.concat(parts), truncated: false };
}

const plainHeaders = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(', ')]],
    ),
  );

function toFault(error: unknown): GuardedFetchError {
  if (error instanceof GuardedFetchError) return error;
  const leadsInside = [error, error instanceof Error ? error.cause : undefined].find(
    (one) => one instanceof LeadsInside,
  );
  if (leadsInside) return new GuardedFetchError('blocked', leadsInside.message, { cause: leadsInside });
  return new GuardedFetchError('unreachable', 'No connection, or an answer that broke off.', { cause: error });
}
