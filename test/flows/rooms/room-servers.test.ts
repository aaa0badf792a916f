import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../../support/eventually.ts';
import type { Customer } from '../../support/people/customer.ts';
import { endTalks, everybodyWrites, nothingLostOrRepeated, startTalk, type Talk } from '../../support/people/talk.ts';
import type { TestRoomServer } from '../../support/rooms/room-server.ts';
import type { TestRoomServers } from '../../support/rooms/room-servers.ts';
import { startWorldOfRoomServers } from '../../support/world/several-room-servers.ts';
import type { World } from '../../support/world/world.ts';

const conversations = 6;

let rooms: TestRoomServers;
let world: World;
let customer: Customer;

beforeAll(async () => {
  ({ world, rooms } = await startWorldOfRoomServers({ warmRooms: 2, settings: { warmRoomSeconds: 1 } }));
  customer = await world.customer();
});

afterAll(() => world?.[Symbol.asyncDispose]());

/** So many conversations, or as many more as it takes until every server in use carries one. */
async function begin(least: number): Promise<Talk[]> {
  const talks: Talk[] = [];
  while (talks.length < least || !(await isSpread(talks))) talks.push(await startTalk(customer));
  return talks;
}

async function isSpread(talks: readonly Talk[]): Promise<boolean> {
  const names = await roomsOf(talks);
  const places = await Promise.all(rooms.inUse().map(rooms.roomsOn));
  return places.every((place) => place.some((name) => names.includes(name)));
}

const roomsOf = async (talks: readonly Talk[]): Promise<string[]> => {
  const ids = talks.map(({ sessionId }) => sessionId);
  const rows = await world.admin.query<{ room_name: string }>(
    sql`select room_name from sessions where id = any(${ids})`,
  );
  return rows.map(({ room_name }) => room_name);
};

async function finish(talks: readonly Talk[]): Promise<void> {
  for (const talk of talks) {
    expect(talk.person.disconnectedBecause).toBeUndefined();
    await nothingLostOrRepeated(world, talk);
  }
  await endTalks(customer, talks);
}

/** As a stack replaces one of them. Gives the conversations that began meanwhile, all on the others. */
async function replace(server: TestRoomServer, talks: readonly Talk[]): Promise<Talk[]> {
  const carried = await roomsOf(talks);
  const end = rooms.takeAway(server);
  await everybodyWrites(talks, 'while it drains');
  await eventually('no room is kept ready on it for callers to come', async () =>
    (await rooms.roomsOn(server)).every((name) => carried.includes(name)),
  );
  const later = await begin(conversations);
  const left = await rooms.roomsOn(server);
  expect(left).not.toEqual([]);
  expect((await roomsOf(later)).filter((name) => left.includes(name))).toEqual([]);
  await finish(talks);
  await end;
  // Those whose signalling went through it have found another way.
  await everybodyWrites(later, 'after it has ended');
  await rooms.bringBack(server);
  return later;
}

test('each room server drains before it stops: it takes nobody new, and nobody is cut off', async () => {
  let talks = await begin(conversations);
  for (const server of rooms.members) talks = await replace(server, talks);
  await finish(talks);
}, 300_000);
