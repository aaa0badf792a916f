import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import type { PresenceRow } from '../../../services/store/tables/presence.ts';
import type { SessionRow } from '../../../services/store/tables/sessions.ts';
import { eventually } from '../../support/eventually.ts';
import type { Customer } from '../../support/people/customer.ts';
import { PersonProcess } from '../../support/people/person-process.ts';
import type { TestRoomServer } from '../../support/rooms/room-server.ts';
import type { TestRoomServers } from '../../support/rooms/room-servers.ts';
import { startWorldOfRoomServers } from '../../support/world/several-room-servers.ts';
import type { World } from '../../support/world/world.ts';

/** No client that vanishes is billed for longer. */
const mostMinutesErrorMs = 25_000;

let rooms: TestRoomServers;
let world: World;
let customer: Customer;

beforeAll(async () => {
  ({ world, rooms } = await startWorldOfRoomServers({ hosts: 2 }));
  customer = await world.customer();
});

afterAll(() => world?.[Symbol.asyncDispose]());

async function row(sessionId: string): Promise<SessionRow> {
  const [found] = await world.admin.query<SessionRow>(sql`select * from sessions where id = ${sessionId}`);
  if (!found) throw new Error(`no session ${sessionId}`);
  return found;
}

const persons = (sessionId: string) =>
  world.admin.query<PresenceRow>(
    sql`select * from presence where session_id = ${sessionId} and role = 'person' order by joined_at`,
  );

async function serverOf(room: string): Promise<TestRoomServer> {
  for (const member of rooms.members) if ((await rooms.roomsOn(member)).includes(room)) return member;
  throw new Error(`no room server carries ${room}`);
}

test('a room server is lost with the host and the person in one of its rooms: nobody is present for ever (core 19)', async () => {
  const session = await customer.createSession();
  await using person = new PersonProcess(session, 'before');
  await person.hears(/^You said: before$/);
  const [server, host] = await Promise.all([
    serverOf((await row(session.sessionId)).room_name),
    world.hostOf(session.sessionId),
  ]);
  await eventually('the person is known to be there', async () => (await persons(session.sessionId)).length === 1);
  const lostAt = Date.now();
  await Promise.all([rooms.lose(server), host.kill(), person.kill()]);
  await eventually('the session is over', async () => (await row(session.sessionId)).status === 'ended', {
    withinMs: 90_000,
    everyMs: 250,
  });
  expect((await row(session.sessionId)).end_reason).toBe('participant_left');
  const [there, ...others] = await persons(session.sessionId);
  expect(others).toEqual([]);
  expect(there?.left_at?.getTime()).toBeLessThan(lostAt + mostMinutesErrorMs);
});
