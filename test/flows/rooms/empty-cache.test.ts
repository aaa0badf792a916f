import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../../support/eventually.ts';
import type { Customer } from '../../support/people/customer.ts';
import { endTalks, everybodyWrites, nothingLostOrRepeated, startTalk } from '../../support/people/talk.ts';
import type { TestRoomServers } from '../../support/rooms/room-servers.ts';
import { startWorldOfRoomServers } from '../../support/world/several-room-servers.ts';
import type { World } from '../../support/world/world.ts';

let rooms: TestRoomServers;
let world: World;
let customer: Customer;

beforeAll(async () => {
  ({ world, rooms } = await startWorldOfRoomServers({ warmRooms: 2 }));
  customer = await world.customer();
});

afterAll(() => world?.[Symbol.asyncDispose]());

/** Rooms that are kept ready, and that the room servers know. */
async function known(): Promise<string[]> {
  const kept = await world.admin.query<{ room_name: string }>(sql`select room_name from warm_rooms`);
  const carried = (await Promise.all(rooms.members.map(rooms.roomsOn))).flat();
  const names = kept.map(({ room_name }) => room_name);
  return names.every((name) => carried.includes(name)) ? names : [];
}

test('a cache that comes back empty: conversations go on, and rooms that nobody could join any more are replaced', async () => {
  const talks = [await startTalk(customer), await startTalk(customer), await startTalk(customer)];
  await eventually('rooms are kept ready', async () => (await known()).length >= 2);
  await rooms.emptyCache();
  await everybodyWrites(talks, 'while it comes back');
  await eventually('other rooms are kept ready', async () => (await known()).length >= 2);
  const later = [await startTalk(customer), await startTalk(customer)];
  await everybodyWrites([...talks, ...later], 'afterwards');
  for (const talk of [...talks, ...later]) {
    expect(talk.person.disconnectedBecause).toBeUndefined();
    await nothingLostOrRepeated(world, talk);
  }
  await endTalks(customer, [...talks, ...later]);
});
