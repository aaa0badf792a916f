/** What tools may cause, judged apart from the product's own code: from the request as it arrived at the endpoint. */
import type { EndpointRequest } from '../stand-ins/tool-endpoint.ts';

const token = 'Bearer SHOP-TOKEN-MARKER';
const headers = new Set([
  ...['host', 'connection', 'accept', 'authorization', 'idempotency-key', 'x-signature'],
  ...['content-type', 'content-length'],
]);

/** Why a request is more than the tools allow; undefined when it is in its place. */
export function excessOf(request: EndpointRequest, host: string): string | undefined {
  const strange = Object.keys(request.headers).filter((name) => !headers.has(name));
  if (strange.length > 0) return `headers ${strange.join(', ')}`;
  if (request.headers.host !== host) return `host ${request.headers.host}`;
  if (request.headers.authorization !== token) return 'another authorization';
  const [path = '', query = ''] = request.target.split(/\?(.*)/su);
  if (request.method === 'GET' && path.startsWith('/orders/')) return query ? 'a query' : excessOfPath(path);
  if (request.method === 'GET' && path === '/search') return excessOfQuery(query);
  if (request.method === 'POST' && request.target === '/bookings') return excessOfBody(request.body);
  return `${request.method} ${path}`;
}

/** However often a server on the way decodes it, and whatever it takes for a slash or a dot. */
function excessOfPath(path: string): string | undefined {
  let text = path;
  for (let round = 0; round < 5; round += 1) {
    text = text.normalize('NFKC');
    const folded = text.replaceAll('\\', '/').replace(/;[^/]*/gu, '');
    if (/[\r\n\0]/u.test(folded)) return 'a line break in the path';
    const { pathname } = new URL(`http://shop${folded}`);
    if (!pathname.startsWith('/orders/')) return `a path that is ${pathname} after ${round} rounds`;
    text = text.replace(/(?:%[0-9a-f]{2})+/giu, (escaped) =>
      Buffer.from(escaped.replaceAll('%', ''), 'hex').toString('utf8'),
    );
  }
  return undefined;
}

function excessOfQuery(query: string): string | undefined {
  const params = new URLSearchParams(query);
  const names = [...params.keys()];
  if (new Set(names).size < names.length) return 'an argument twice';
  if (names.some((name) => !['limit', 'text', 'page'].includes(name))) return `arguments ${names.join(', ')}`;
  return params.get('limit') === '5' ? undefined : 'another limit';
}

function excessOfBody(body: string): string | undefined {
  const names = Object.keys(JSON.parse(body) as object);
  const known = ['name', 'guests', 'day', 'area', 'contact'];
  const strange = names.filter((name) => !known.includes(name));
  if (strange.length > 0) return `arguments ${strange.join(', ')}`;
  const { name, guests, day } = JSON.parse(body) as Record<string, unknown>;
  const isRight = typeof name === 'string' && Number.isInteger(guests) && Number(guests) <= 12 && day === '2026-11-21';
  return isRight ? undefined : 'arguments of another kind';
}
