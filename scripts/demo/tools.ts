/** The endpoints that the demo agents' tools call; `npm start` serves them, with nothing behind them but memory. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type Answer, type BookingBook, openBookingBook } from './bookings.ts';
import { findOrder } from './orders.ts';

/** The variable by which the demo agents' tools name this place. */
export const demoToolsUrl = 'DEMO_TOOLS_URL';

const maxBodyBytes = 64 * 1024;

/** Serves on loopback until the server is closed. */
export async function startDemoTools(port: number): Promise<Server> {
  const book = openBookingBook();
  const server = createServer(async (request, response) => {
    const { status, body } = await answer(request, book).catch(() => serverError);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const serverError: Answer = { status: 500, body: { message: 'The demo endpoint failed.' } };

async function answer(request: IncomingMessage, book: BookingBook): Promise<Answer> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const order = /^\/orders\/([^/]+)$/.exec(pathname)?.[1];
  if (request.method === 'GET' && order) return findOrder(decodeURIComponent(order));
  if (request.method !== 'POST' || pathname !== '/bookings') {
    return { status: 404, body: { message: 'There are POST /bookings and GET /orders/<number>.' } };
  }
  const body = await readJson(request);
  if (body === undefined) return { status: 400, body: { message: 'The body must be JSON of at most 64 KiB.' } };
  return book.book(body, request.headers['idempotency-key']?.toString());
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request) {
    text += chunk;
    if (text.length > maxBodyBytes) return undefined;
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
