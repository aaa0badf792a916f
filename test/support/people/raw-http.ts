import { Agent, request } from 'node:http';
import { connect } from 'node:net';

export interface RawRequest {
  method: string;
  /** As it stands in the request line; must be printable ASCII without blanks. */
  path: string;
  headers: Record<string, string>;
  body: Buffer;
}

export interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 32 });

/** A request that `fetch` would refuse to send, or would tidy up first. */
export function send(port: number, { method, path, headers, body }: RawRequest): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const framed = { ...headers, 'content-length': String(body.length) };
    const sent = request(
      { agent, host: '127.0.0.1', port, method, path, headers: framed, timeout: 30_000 },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
          });
        });
      },
    );
    sent.on('error', reject);
    sent.on('timeout', () => sent.destroy(new Error(`no answer within 30 s: ${method} ${path}`)));
    sent.end(body);
  });
}

/** Bytes as they are on a connection of their own; what came back when the server, or we after `idleMs` of silence, closed it. */
export function sendBytes(port: number, bytes: Buffer | string, { idleMs = 2_000 } = {}): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(bytes));
    socket.setTimeout(idleMs, () => socket.destroy());
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
  });
}
