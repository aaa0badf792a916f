import { DisconnectReason, Room } from '@livekit/rtc-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../../../services/agent/room/connect.ts';
import { FloodGuard } from '../../../services/agent/room/floods.ts';
import { hearTexts } from '../../../services/agent/room/hearing.ts';
import { openRooms } from '../../../services/core/rooms/rooms.ts';
import { newRoomName } from '../../../services/core/sessions/ids.ts';
import { eventually } from '../../support/eventually.ts';
import type { Customer } from '../../support/people/customer.ts';
import { Person } from '../../support/people/person.ts';
import { type Flood, floods } from '../../support/people/visitor.ts';
import { startWorld, type World } from '../../support/world/world.ts';

let world: World;
let customer: Customer;

beforeAll(async () => {
  world = await startWorld({ workers: 0 });
  customer = await world.customer();
});

afterAll(() => world?.[Symbol.asyncDispose]());

const join = async () => Person.join(await customer.createSession());

test.each<[Flood, number]>([
  ['streams', 1_500],
  // Faster than the room server passes them on: it drops what the host is too slow for, and the host counts what it gets.
  ['packets', 100_000],
  ['tracks', 40],
])(
  'a visitor who floods the room with %s is sent out, and a neighbour on the same host is answered',
  async (what, count) => {
    await using neighbour = await join();
    await using visitor = await join();
    await neighbour.ask('before', /^You said: before$/);
    const flood = floods[what](visitor, count);
    await eventually('the visitor is out', () => visitor.disconnectedBecause !== undefined, { withinMs: 60_000 });
    expect(visitor.disconnectedBecause).toBe(DisconnectReason.PARTICIPANT_REMOVED);
    await flood;
    await neighbour.ask('after', /^You said: after$/);
  },
);

test('a visitor who comes back and goes on finds the session ended, and the token opens nothing', async () => {
  const session = await customer.createSession();
  await using first = await Person.join(session);
  await floods.streams(first, 1_500);
  await eventually('the visitor is out', () => first.disconnectedBecause !== undefined, { withinMs: 60_000 });
  await using second = await Person.join(session);
  await floods.streams(second, 1_500);
  const isOver = () =>
    customer.readSession(session.sessionId).then(
      () => false,
      () => true,
    );
  await eventually('the session is over', isOver, { withinMs: 60_000 });
  expect(await customer.endSession(session.sessionId)).toMatchObject({ endReason: 'budget_exhausted' });
  const opensNothing = () =>
    Person.join(session).then(
      (person) => person.leave().then(() => false),
      () => true,
    );
  await eventually('the token opens nothing', opensNothing);
});

/** Of the native layer's events, which all rooms of a process share. */
function listeners(): number {
  const { _ffiClientInstance: native } = globalThis as {
    _ffiClientInstance?: { listenerCount(event: string): number };
  };
  return native?.listenerCount('ffi_event') ?? Number.NaN;
}

test('a stream that is not read to its end leaves no listener behind', async () => {
  const rooms = openRooms({ ...world.rooms, publicUrl: world.rooms.url });
  const [name, room] = [newRoomName(), new Room()];
  await rooms.create(name);
  const heard: string[] = [];
  hearTexts(room, new FloodGuard(() => undefined), ({ text }) => heard.push(text));
  await connect(room, rooms.url, rooms.agentToken(name));
  const token = rooms.personToken(name, 'visitor', { ttlMs: 60_000, camera: false });
  await using visitor = await Person.join({ wsUrl: rooms.url, token });
  await eventually('the agent knows of the visitor', () => room.remoteParticipants.size === 1);
  const before = listeners();
  await floods.streams(visitor, 100);
  await visitor.write('heard after all of them');
  await eventually('those that are read are at most 32', () => listeners() <= before + 32);
  await eventually('what never ended is given up', () => listeners() <= before, { withinMs: 30_000 });
  await room.disconnect();
});
