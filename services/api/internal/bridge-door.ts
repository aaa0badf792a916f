import type { IncomingMessage } from 'node:http';
import { connect as connectTcp, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { TokenVerifier } from 'livekit-server-sdk';
import { byIssuer } from '../../core/rooms/known-keys.ts';
import type { RoomServer, Rooms } from '../../core/rooms/rooms.ts';
import { renamedToken } from '../../core/rooms/sign-token.ts';
import type { EndDeps } from '../../core/sessions/end.ts';
import { hashPrefix } from '../../core/sessions/ids.ts';
import { endCall } from '../../core/telephony/end-call.ts';
import { callerIdentity, isInboundRoom } from '../../core/telephony/leg.ts';
import { bestEffort } from '../../process/best-effort.ts';
import type { Clock } from '../../process/clock.ts';
import type { Logger } from '../../process/logger.ts';
import { findCall, type LocatedCall, locateCall } from '../../store/tables/calls.ts';
import { BridgeLife } from './bridge-life.ts';
import { tellOver } from './call-over.ts';

export interface BridgeDoorDeps extends EndDeps {
  rooms: Rooms;
  clock: Clock;
  roomServer: Pick<RoomServer, 'url' | 'apiKey' | 'apiSecret' | 'otherKeys'>;
  log: Logger;
  /** Absent: bridges are asked whether they live. */
  life?: Pick<BridgeLife, 'carry'>;
}

/** Below this the SIP bridge has its room server (`ws_url`), and may name the port on which it tells of its health. */
const path = /^\/bridge(?:\/(?<healthPort>\d{1,5}))?(?<rest>\/rtc\b.*)$/;
const clocksDifferBySeconds = 60;
const connectedWithinMs = 3_000;

/**
 * The SIP bridge's way to the room server, for its WebSockets and nobody else's. The bridge names the room of a call that comes in, and
 * may make none, since the room server makes none by itself: it is made here, once. And the bridge would name the caller after their
 * number, which the room server then logs: here they become `caller`. Calls out have rooms and names of ours already.
 *
 * Whether the bridge lives is looked at each second (bridge-life.ts): when it dies or freezes, what it carried ends when it was last known to live.
 */
export function bridgeDoor(deps: BridgeDoorDeps): (request: IncomingMessage, socket: Duplex, head: Buffer) => void {
  const verified = verifierOf(deps.roomServer);
  const life = deps.life ?? new BridgeLife(deps);
  return (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    enter(deps, verified, request).then(
      (entry) => {
        if (!entry) refuse(socket, 404);
        else if (entry === 'over') tellOver(request, socket, head);
        else pass({ ...deps, life }, { ...entry, request, socket, head });
      },
      (error: unknown) => {
        deps.log.warn({ err: error }, 'the SIP bridge could not be let into a room');
        refuse(socket, 503);
      },
    );
  };
}

interface Entry {
  room: string;
  /** To join with. */
  token: string;
  /** As the room server has it. */
  path: string;
  /** Without it nobody asks whether the bridge lives. */
  healthPort: string | undefined;
}

/** `over`: its call is; undefined for what is none of the bridge's. @throws while the database or the room server does not answer */
async function enter(
  { db, rooms }: BridgeDoorDeps,
  verified: ReturnType<typeof verifierOf>,
  request: IncomingMessage,
): Promise<Entry | 'over' | undefined> {
  const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
  const { healthPort, rest = '' } = path.exec(request.url ?? '')?.groups ?? {};
  const signed = token && rest ? await verified(token) : undefined;
  const room = signed?.claims.video?.room;
  if (!token || signed?.claims.kind !== 'sip' || !room) return undefined;
  const entry = { room, token, path: rest, healthPort };
  const call = await locateCall(db, room);
  if (call && (await isOver(db, call))) return 'over';
  if (!isInboundRoom(room)) return entry;
  // A room that had its call is not made again: nobody would be in it but the caller.
  if (!call) await rooms.create(room);
  return { ...entry, token: renamedToken(token, callerIdentity, signed.key.apiSecret) };
}

async function isOver(db: BridgeDoorDeps['db'], { call_id, tenant_id }: LocatedCall): Promise<boolean> {
  const call = await db.asTenant(tenant_id, (tx) => findCall(tx, call_id));
  return call !== undefined && call.ended_at !== null;
}

function verifierOf(roomServer: BridgeDoorDeps['roomServer']) {
  const checkOf = byIssuer(roomServer, ({ apiKey, apiSecret }) => new TokenVerifier(apiKey, apiSecret));
  return async (token: string) => {
    const known = checkOf(token);
    if (!known) return undefined;
    try {
      return { key: known.key, claims: await known.check.verify(token, clocksDifferBySeconds) };
    } catch {
      // It says only that it is not valid, which is all there is to know.
      return undefined;
    }
  };
}

interface Passing extends Entry {
  request: IncomingMessage;
  socket: Duplex;
  head: Buffer;
}

type PassDeps = BridgeDoorDeps & Required<Pick<BridgeDoorDeps, 'life'>>;

function pass(deps: PassDeps, passing: Passing): void {
  const { request, socket, head } = passing;
  const url = new URL(deps.roomServer.url);
  const upstream = open(url);
  const late = new Error('the room server did not take the connection in time');
  const timer = setTimeout(() => upstream.destroy(late), connectedWithinMs);
  let isThrough = false;
  upstream.once(url.protocol === 'wss:' ? 'secureConnect' : 'connect', () => {
    clearTimeout(timer);
    isThrough = true;
    upstream.write(headOf(request, url, passing));
    upstream.write(head);
    socket.pipe(upstream).pipe(socket);
    watch(deps, passing, upstream);
  });
  upstream.on('error', (error) => {
    deps.log.warn({ err: error }, 'the room server left the SIP bridge');
    // What has become a WebSocket takes no answer.
    if (isThrough) socket.destroy();
    else refuse(socket, 502);
  });
  socket.on('close', () => {
    clearTimeout(timer);
    upstream.destroy();
  });
  upstream.on('close', () => {
    clearTimeout(timer);
    if (isThrough) socket.destroy();
  });
}

/**
 * Ends the call when its bridge dies: the room server would miss it some 20 s later. One that froze may go on, and has the caller on the line: its
 * connection stays, by which the room server tells it that the room goes, and it hangs up.
 */
function watch(deps: PassDeps, { request, room, healthPort }: Passing, upstream: Socket): void {
  if (healthPort === undefined) return;
  const { socket } = request;
  const call = deps.life.carry(`http://${hostIn(socket.remoteAddress ?? '')}:${healthPort}/`, (at) => {
    deps.log.warn({ room: hashPrefix(room) }, 'the SIP bridge died in a call');
    const ended = endCall(deps, { room, at, source: 'bridge_door', reason: 'room_lost', waits: true });
    void bestEffort('the room server misses the telephone some 20 s later, and tells it', ended);
  });
  socket.on('data', () => call.heard());
  upstream.once('end', () => call.leave());
  // The system tells it of a process that ends, in that moment.
  for (const end of ['end', 'close']) socket.prependOnceListener(end, () => call.broke());
}

const hostIn = (address: string): string => {
  const plain = address.replace(/^::ffff:/, '');
  return plain.includes(':') ? `[${plain}]` : plain;
};

function open({ protocol, hostname, port }: URL): Socket {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol === 'wss:') return connectTls({ host, port: Number(port) || 443, servername: host });
  return connectTcp({ host, port: Number(port) || 80 });
}

/** The request as it came, for the room server, with the token that was decided on. */
function headOf({ headers }: IncomingMessage, { host, pathname }: URL, { path: rest, token }: Entry): string {
  const told = { ...headers, host, authorization: `Bearer ${token}` };
  const lines = Object.entries(told).flatMap(([name, value]) => [value ?? []].flat().map((one) => `${name}: ${one}`));
  return `GET ${pathname.replace(/\/$/, '')}${rest} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

function refuse(socket: Duplex, status: 404 | 502 | 503): void {
  if (socket.writable) socket.end(`HTTP/1.1 ${status} Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
}
