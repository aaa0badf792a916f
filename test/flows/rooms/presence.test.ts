import { SimulateScenarioKind } from '@livekit/rtc-ffi-bindings';
import { Room, RoomEvent } from '@livekit/rtc-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../../../services/agent/room/connect.ts';
import { watchPersons } from '../../../services/agent/room/persons.ts';
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

interface Watched extends AsyncDisposable {
  room: Room;
  /** What was told, such as `joined PA_1`. */
  told: string[];
  join(identity: string): Promise<Person & { sid: string }>;
}

async function watchedRoom(): Promise<Watched> {
  const name = newRoomName();
  await rooms.create(name);
  const [room, told] = [new Room(), [] as string[]];
  watchPersons(room, {
    onPersonJoined: ({ sid }) => told.push(`joined ${sid}`),
    onPersonLeft: ({ sid }) => told.push(`left ${sid}`),
  });
  await connect(room, server.url, rooms.agentToken(name));
  return {
    ...{ room, told },
    join: async (identity) => {
      const token = rooms.personToken(name, identity, { ttlMs: 60_000, camera: false });
      const person = await Person.join({ wsUrl: server.url, token });
      const sid = person.room.localParticipant?.sid ?? '';
      await eventually('the agent knows of the person', () => told.includes(`joined ${sid}`));
      return Object.assign(person, { sid });
    },
    [Symbol.asyncDispose]: () => room.disconnect(),
  };
}

/** As after a process stood still for 40 s: the connection is given up and made anew. */
async function reconnectWholly({ room }: Watched): Promise<void> {
  const back = new Promise<void>((resolve) => room.once(RoomEvent.Reconnected, () => resolve()));
  await room.simulateScenario(SimulateScenarioKind.SIMULATE_FULL_RECONNECT);
  await back;
}

test('a reconnect of the agent tells of nobody that they left', async () => {
  await using watched = await watchedRoom();
  await using there = await watched.join('there');
  await using goes = await watched.join('goes');
  await reconnectWholly(watched);
  await goes.leave();
  // Told after everything that the reconnect has told.
  await eventually('the leave is told', () => watched.told.includes(`left ${goes.sid}`));
  expect(watched.told).not.toContain(`left ${there.sid}`);
  expect(await rooms.participants((await watched.room.name) ?? '')).toEqual(
    expect.arrayContaining([expect.objectContaining({ sid: there.sid })]),
  );
});

test('who leaves while the agent is away is told of once it is back', async () => {
  await using watched = await watchedRoom();
  await using goes = await watched.join('goes');
  const back = new Promise<void>((resolve) => watched.room.once(RoomEvent.Reconnected, () => resolve()));
  watched.room.once(RoomEvent.Reconnecting, () => void goes.leave());
  await watched.room.simulateScenario(SimulateScenarioKind.SIMULATE_FULL_RECONNECT);
  await back;
  await eventually('the leave is told', () => watched.told.includes(`left ${goes.sid}`));
});
