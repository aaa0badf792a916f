import type { IncomingMessage } from 'node:http';
import { connect as connectTcp, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { type ClaimGrants, TokenVerifier } from 'livekit-server-sdk';
import type { RoomServer, Rooms } from '../../core/rooms/rooms.ts';
import { renamedToken } from '../../core/rooms/sign-token.ts';
import { callerIdentity, isInboundRoom } from '../../core/telephony/leg.ts';
import type { Logger } from '../../process/logger.ts';
import type { Queryable } from '../../store/sql.ts';
import { locateCall } from '../../store/tables/calls.ts';

export interface BridgeDoorDeps {
  db: Queryable;
  rooms: Pick<Rooms, 'create'>;
  roomServer: Pick<RoomServer, 'url' | 'apiKey' | 'apiSecret'>;
  log: Logger;
}

/** Below this the SIP bridge has its room server (`ws_url`). */
const prefix = '/bridge';
const clocksDifferBySeconds = 60;
const connectedWithinMs = 3_000;

/**
 * The SIP bridge's way to the room server, for its WebSockets and nobody else's. The bridge names the room of a call that comes in, and
 * may make none, since the room server makes none by itself: it is made here, once. And the bridge would name the caller after their
 * number, which the room server then logs: here they become `caller`. Calls out have rooms and names of ours already.
 */
export function bridgeDoor(deps: BridgeDoorDeps): (request: IncomingMessage, socket: Duplex, head: Buffer) => void {
  const verifier = new TokenVerifier(deps.roomServer.apiKey, deps.roomServer.apiSecret);
  return (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    enter(deps, verifier, request).then(
      (token) => (token === undefined ? refuse(socket, 404) : pass(deps, { request, socket, head, token })),
      (error: unknown) => {
        deps.log.warn({ err: error }, 'the SIP bridge could not be let into a room');
        refuse(socket, 503);
      },
    );
  };
}

/** The token to join with; undefined for what is none of the bridge's. @throws while the database or the room server does not answer */
async function enter(
  { db, rooms, roomServer }: BridgeDoorDeps,
  verifier: TokenVerifier,
  request: IncomingMessage,
): Promise<string | undefined> {
  const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
  const claims = token && request.url?.startsWith(`${prefix}/`) ? await verified(verifier, token) : undefined;
  const room = claims?.video?.room;
  if (!token || claims?.kind !== 'sip' || !room) return undefined;
  if (!isInboundRoom(room)) return token;
  // A room that had its call is not made again: nobody would be in it but the caller.
  if (!(await locateCall(db, room))) await rooms.create(room);
  return renamedToken(token, callerIdentity, roomServer.apiSecret);
}

async function verified(verifier: TokenVerifier, token: string): Promise<ClaimGrants | undefined> {
  try {
    return await verifier.verify(token, clocksDifferBySeconds);
  } catch {
    // It says only that it is not valid, which is all there is to know.
    return undefined;
  }
}

interface Passing {
  request: IncomingMessage;
  socket: Duplex;
  head: Buffer;
  token: string;
}

function pass({ roomServer, log }: BridgeDoorDeps, { request, socket, head, token }: Passing): void {
  const url = new URL(roomServer.url);
  const upstream = open(url);
  const late = new Error('the room server did not take the connection in time');
  const timer = setTimeout(() => upstream.destroy(late), connectedWithinMs);
  let isThrough = false;
  upstream.once(url.protocol === 'wss:' ? 'secureConnect' : 'connect', () => {
    clearTimeout(timer);
    isThrough = true;
    upstream.write(headOf(request, url, token));
    upstream.write(head);
    socket.pipe(upstream).pipe(socket);
  });
  upstream.on('error', (error) => {
    log.warn({ err: error }, 'the room server left the SIP bridge');
    // What has become a WebSocket takes no answer.
    if (isThrough) socket.destroy();
    else refuse(socket, 502);
  });
  for (const [one, other] of [
    [socket, upstream],
    [upstream, socket],
  ] as const)
    one.on('close', () => {
      clearTimeout(timer);
      other.destroy();
    });
}

function open({ protocol, hostname, port }: URL): Socket {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol === 'wss:') return connectTls({ host, port: Number(port) || 443, servername: host });
  return connectTcp({ host, port: Number(port) || 80 });
}

/** The request as it came, for the room server, with the token that was decided on. */
function headOf({ url = '', headers }: IncomingMessage, { host, pathname }: URL, token: string): string {
  const path = `${pathname.replace(/\/$/, '')}${url.slice(prefix.length)}`;
  const told = { ...headers, host, authorization: `Bearer ${token}` };
  const lines = Object.entries(told).flatMap(([name, value]) => [value ?? []].flat().map((one) => `${name}: ${one}`));
  return `GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

function refuse(socket: Duplex, status: 404 | 502 | 503): void {
  if (socket.writable) socket.end(`HTTP/1.1 ${status} Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
}
