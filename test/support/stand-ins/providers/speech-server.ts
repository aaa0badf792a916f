/**
 * What the local stand-ins of speech providers share: a port, the key they accept, the ways in which real ones fail, and
 * what they say and hear. Each protocol has a file of its own.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** - a number: the status with which requests and connections are refused
 *  - `stall`: accepted, and nothing comes after the first piece
 *  - `drop`: the connection is reset after the first piece */
export type Fault = number | 'stall' | 'drop' | undefined;

export interface SpeechServer extends AsyncDisposable {
  /** `http://127.0.0.1:port` */
  url: string;
  /** What the next requests and connections meet. */
  fault: Fault;
  /** What recognition hears when somebody has spoken. */
  hears: string;
  /** Sentences that were to be said. */
  said: string[];
  /** Addresses that were asked for, query included, and the headers. */
  requests: { url: URL; headers: IncomingMessage['headers'] }[];
}

export interface Protocol {
  /** Whether the request carries the right key. */
  accepts(request: IncomingMessage): boolean;
  socket?(socket: WebSocket, server: SpeechServer, url: URL): void;
  http?(request: IncomingMessage, response: ServerResponse, server: SpeechServer): Promise<void>;
}

export const testKey = 'key-of-the-tests';
export const sampleRate = 24_000;

/** A tone of 100 ms for each word: 16-bit samples. */
export function soundOf(text: string, rate = sampleRate): Buffer {
  const words = text.trim().split(/\s+/u).length;
  const samples = Int16Array.from({ length: (words * rate) / 10 }, (_, at) => 6_000 * Math.sin(at / 10));
  return Buffer.from(samples.buffer);
}

/** Whether there is something else than silence in 16-bit samples. */
export const isLoud = (sound: Buffer): boolean => {
  for (let at = 0; at + 1 < sound.length; at += 2) if (Math.abs(sound.readInt16LE(at)) > 1_000) return true;
  return false;
};

/** Resets the connection, as a lost network does. */
export const reset = (socket: WebSocket): void =>
  void (socket as unknown as { _socket: Socket })._socket.resetAndDestroy();

/** Nothing comes in or goes out any more, and nobody is told. */
export function goSilent(socket: WebSocket): void {
  const { _socket: connection } = socket as unknown as { _socket: Socket };
  connection.pause();
  connection.cork();
}

export async function startSpeechServer(protocol: Protocol): Promise<SpeechServer> {
  const sockets = new Set<Socket>();
  const http = createServer((request, response) => {
    note(request);
    const status = refusal(request);
    if (status !== undefined) return refuse(response, status);
    if (!protocol.http) return refuse(response, 404);
    protocol.http(request, response, server).catch(() => response.destroy());
  });
  const webSockets = new WebSocketServer({ noServer: true });
  http.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  http.on('upgrade', (request, socket, head) => {
    const url = note(request);
    const status = refusal(request);
    if (status !== undefined || !protocol.socket) {
      socket.end(`HTTP/1.1 ${status ?? 404} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('error', () => undefined);
      protocol.socket?.(webSocket, server, url);
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const server: SpeechServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    fault: undefined,
    hears: 'hello there',
    said: [],
    requests: [],
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return server;

  function note({ url, headers }: IncomingMessage): URL {
    const whole = new URL(url ?? '/', 'http://localhost');
    server.requests.push({ url: whole, headers });
    return whole;
  }

  function refusal(request: IncomingMessage): number | undefined {
    if (typeof server.fault === 'number') return server.fault;
    return protocol.accepts(request) ? undefined : 401;
  }
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message: `Refused with ${status}.`, type: 'error' } }));
}
