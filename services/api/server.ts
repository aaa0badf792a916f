import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Problem, problems } from '../contract/problems.ts';
import { listen } from '../process/listen.ts';
import { sleep } from '../process/sleep.ts';
import { bodyLimitBytes } from './http/body-limit.ts';
import { problemBody } from './http/render-problem.ts';

export interface HttpServer {
  readonly port: number;
  /**
   * Stops in order: answers begin to say `Connection: close`, after `lingerMs` nothing new is accepted, and what is still
   * running after `deadlineMs` more is cut off.
   */
  stop(times: { lingerMs: number; deadlineMs: number }): Promise<void>;
}

type OnUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

interface ServerOptions {
  port: number;
  bind: string;
  /** For connections that are to become something else, such as a WebSocket; without it they are answered as any request. */
  onUpgrade?: OnUpgrade;
  onDropped?: () => void;
}

const maxConnections = 5_000;

/** Listens with limits on everything a client can draw out. @throws Error with one sentence when the port can't be had. */
export async function openServer(
  listener: RequestListener,
  { port, bind, onUpgrade, onDropped }: ServerOptions,
): Promise<HttpServer> {
  let stopping = false;
  const server = createServer(
    {
      // Longer than load balancers keep idle connections (60 s): they close them, never we under a request on its way.
      keepAliveTimeout: 75_000,
      headersTimeout: 15_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 5_000,
      // Refused below, with a body.
      requireHostHeader: false,
      noDelay: true,
    },
    (req, res) => {
      // After "Upgrade" with a body that was not read Node 24.21 never sees the connection's next request; behind a load
      // balancer that would be somebody else's.
      if (stopping || req.headers.upgrade !== undefined) res.setHeader('Connection', 'close');
      if (req.headers.host === undefined && req.httpVersionMinor > 0) return refuse(res, problems.malformedRequest());
      listener(req, res);
    },
  );
  server.maxConnections = maxConnections;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => answerClientError(error, socket));
  server.on('checkExpectation', (_req, res) => refuse(res, problems.malformedRequest()));
  server.on('connect', (_req, socket) => answerRaw(socket, problems.notFound()));
  if (onUpgrade) server.on('upgrade', onUpgrade);
  if (onDropped) server.on('drop', onDropped);
  return {
    port: await listen(server, { port, bind }),
    stop: async ({ lingerMs, deadlineMs }) => {
      stopping = true;
      if (lingerMs > 0) await sleep(lingerMs);
      const closed = new Promise((resolve) => server.close(resolve));
      // A connection whose last answer went out after `close` would stay open, idle, until its keep-alive ends.
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      const cut = setTimeout(() => server.closeAllConnections(), deadlineMs);
      await closed;
      clearInterval(sweep);
      clearTimeout(cut);
    },
  };
}

/** What Node's parser refuses never becomes a request; it is answered in the same JSON all the same. */
function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  answerRaw(socket, clientProblem(error.code));
}

function clientProblem(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return problems.headersTooLarge();
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return problems.payloadTooLarge(bodyLimitBytes);
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return problems.requestTimeout();
  return problems.malformedRequest();
}

/** For requests that are not given to the application. */
function refuse(res: ServerResponse, problem: Problem): void {
  const body = JSON.stringify(problemBody(problem));
  res.writeHead(problem.status, { ...plainHeaders(body), Connection: 'close' }).end(body);
}

const plainHeaders = (body: string) => ({
  'Content-Type': 'application/json; charset=utf-8',
  'Content-Length': String(Buffer.byteLength(body)),
  'Cache-Control': 'no-store',
  'X-Request-Id': randomUUID(),
});

/** For connections on which no request came about. */
function answerRaw(socket: Duplex | Socket, problem: Problem): void {
  // An answer is on its way already: a second one would corrupt it.
  if ('bytesWritten' in socket && hasUnfinishedAnswer(socket)) return void socket.destroy();
  const body = JSON.stringify(problemBody(problem));
  const headers = Object.entries({ ...plainHeaders(body), Connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const head = [`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`, ...headers];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** As Node's own handler of such errors looks at it. */
function hasUnfinishedAnswer(socket: Socket & { _httpMessage?: { headersSent: boolean } | null }): boolean {
  return socket._httpMessage?.headersSent === true;
}
