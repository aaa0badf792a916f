import { afterAll, beforeAll, expect, test } from 'vitest';
import { RoomConnection, realPace } from '../../../services/agent/conversation/room-connection.ts';
import { AgentRoom, type RoomListener } from '../../../services/agent/room/agent-room.ts';
import type { IncomingText } from '../../../services/agent/room/hearing.ts';
import { openRooms, type Rooms } from '../../../services/core/rooms/rooms.ts';
import { newRoomName } from '../../../services/core/sessions/ids.ts';
import { eventually } from '../../support/eventually.ts';
import { Person } from '../../support/people/person.ts';
import { startRoomServer, type TestRoomServer } from '../../support/rooms/room-server.ts';

let server: TestRoomServer;
let rooms: Rooms;

beforeAll(async () => {
  server = await startRoomServer();
  rooms = openRooms({ ...server, publicUrl: server.url });
});

afterAll(() => server?.[Symbol.asyncDispose]());

/** An agent's place with a person beside it; joins from then on wait for `gate`. */
async function placeWithPerson(gate: Promise<void> = Promise.resolve(), isOpen = () => true) {
  const [name, heard] = [newRoomName(), new Set<string>()];
  const onText = ({ text }: IncomingText) => void heard.add(text);
  const listener = new Proxy({} as RoomListener, {
    get: (_, event) => (event === 'onText' ? onText : () => undefined),
  });
  const room = await AgentRoom.join(name, rooms);
  room.attach(listener);
  const joining = Promise.withResolvers<void>();
  const create: Rooms['create'] = async (...given) => {
    joining.resolve();
    await gate;
    return rooms.create(...given);
  };
  const moved: AgentRoom[] = [];
  const place = new RoomConnection(room, {
    rooms: { ...rooms, create },
    isOver: () => false,
    isOpen,
    standing: async () => 'ours',
    othersAreThere: async () => true,
    onText,
    post: () => undefined,
    onMoved: (to) => {
      moved.push(to);
      to.attach(listener);
    },
    warn: () => undefined,
    pace: realPace,
  });
  const token = rooms.personToken(name, 'person', { ttlMs: 60_000, camera: false });
  const person = await Person.join({ wsUrl: server.url, token });
  const dispose = async () => {
    await person.leave();
    await place.leave();
  };
  return { room, place, person, heard, moved, joining: joining.promise, [Symbol.asyncDispose]: dispose };
}

test('what is written while a connection that takes no words is replaced is heard', async () => {
  const gate = Promise.withResolvers<void>();
  await using it = await placeWithPerson(gate.promise);
  const renewed = it.place.renew(new Error('the room took no words'));
  await it.joining;
  await it.person.write('in between');
  await eventually('it is heard before the new connection is there', () => it.heard.has('in between'));
  gate.resolve();
  await renewed;
  expect(it.moved).toEqual([it.place.room]);
  await it.person.write('afterwards');
  await eventually('it is heard by the new connection', () => it.heard.has('afterwards'));
});

test('of a text every few milliseconds none is lost when the connection is replaced', async () => {
  await using it = await placeWithPerson();
  const written: string[] = [];
  let isOver = false;
  const renewed = it.place.renew(new Error('the room took no words')).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    written.push(`text ${written.length}`);
    await it.person.write(written.at(-1) ?? '');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await renewed;
  await eventually('all are heard', () => written.every((text) => it.heard.has(text)));
});

test('the connection that is replaced gets no more words, which would be said twice', async () => {
  await using it = await placeWithPerson();
  expect(it.room.connected).toBe(true);
  const renewed = it.place.renew(new Error('the room took no words'));
  expect(it.room.connected).toBe(false);
  await renewed;
  expect(it.place.room.connected).toBe(true);
});

test('a host that gives the conversation away does not take the place back from its successor', async () => {
  await using it = await placeWithPerson(Promise.resolve(), () => false);
  await it.place.renew(new Error('the room took no words'));
  expect(it.place.room).toBe(it.room);
  expect(it.room.connected).toBe(true);
});
