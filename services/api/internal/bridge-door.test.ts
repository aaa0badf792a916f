import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LeaveRequest_Action, SignalResponse } from '@livekit/protocol';
import { AccessToken } from 'livekit-server-sdk';
import { expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { systemClock } from '../../process/clock.ts';
import type { Logger } from '../../process/logger.ts';
import type { Database } from '../../store/database.ts';
import { type BridgeDoorDeps, bridgeDoor } from './bridge-door.ts';
import type { OnDeath } from './bridge-life.ts';

const room = 'out_1';
const key = { apiKey: 'key', apiSecret: 'a secret of the room servers, long enough' };

interface Door extends AsyncDisposable {
  /** A bridge that enters the room. */
  bridge: WebSocket;
  /** What the room server says to it. */
  say(text: string): void;
  joined(): number;
  /** What is told when it dies. */
  deaths: OnDeath[];
}

/** A door between a bridge and what answers as a room server does; `endedAt`: when the call of the room was over. */
async function openDoor({ endedAt = null }: { endedAt?: Date | null } = {}): Promise<Door> {
  const roomServer = createServer();
  const taken: WebSocket[] = [];
  new WebSocketServer({ server: roomServer }).on('connection', (socket) => taken.push(socket));
  const deaths: OnDeath[] = [];
  const rows = async () => [{ call_id: 'one', tenant_id: 'ours', ended_at: endedAt }];
  const db = { query: rows, asTenant: (_: string, work: (tx: unknown) => unknown) => work({ query: rows }) };
  const deps = {
    ...{ db: db as unknown as Database, clock: systemClock, rooms: {} as BridgeDoorDeps['rooms'] },
    ...{ notifier: { tell: () => undefined } as unknown as BridgeDoorDeps['notifier'] },
    log: { warn: () => undefined } as unknown as Logger,
    roomServer: { url: `ws://127.0.0.1:${await portOf(roomServer)}`, ...key },
    life: {
      carry: (_: string, onDeath: OnDeath) => {
        deaths.push(onDeath);
        return { heard: () => undefined, broke: () => undefined, leave: () => undefined };
      },
    },
  };
  const door = createServer().on('upgrade', bridgeDoor(deps));
  const token = new AccessToken(key.apiKey, key.apiSecret, { ttl: 60, identity: 'sip_one' });
  token.kind = 'sip';
  token.addGrant({ room, roomJoin: true });
  const bridge = new WebSocket(`ws://127.0.0.1:${await portOf(door)}/bridge/9/rtc?reconnect=1`, {
    headers: { authorization: `Bearer ${await token.toJwt()}` },
  });
  return {
    ...{ bridge, deaths, joined: () => taken.length },
    say: (text) => taken[0]?.send(text),
    [Symbol.asyncDispose]: async () => {
      for (const socket of [bridge, ...taken]) socket.terminate();
      for (const server of [door, roomServer]) server.close();
    },
  };
}

async function portOf(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

test('a bridge that froze in a call still hears what the room server tells it, such as that the room is gone', async () => {
  await using door = await openDoor();
  await once(door.bridge, 'open');
  for (const die of door.deaths) die(new Date());
  const heard = Promise.race([once(door.bridge, 'message'), once(door.bridge, 'close').then(() => ['it was cut off'])]);
  door.say('the room is gone');
  expect(String((await heard)[0])).toBe('the room is gone');
  expect(door.deaths).toHaveLength(1);
});

test('a bridge that comes back to a call which is over is told to leave, and the room server is not asked', async () => {
  await using door = await openDoor({ endedAt: new Date() });
  const [told] = (await once(door.bridge, 'message')) as [Buffer];
  const { message } = SignalResponse.fromBinary(told);
  expect([message.case, message.case === 'leave' && message.value.action]).toEqual([
    'leave',
    LeaveRequest_Action.DISCONNECT,
  ]);
  await once(door.bridge, 'close');
  expect(door.joined()).toBe(0);
});
