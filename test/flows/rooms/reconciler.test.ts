import { Room } from '@livekit/rtc-node';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { reportJoined } from '../../../services/core/presence/presence.ts';
import { makeOutages, type Outages } from '../../../services/core/reaping/outages.ts';
import { type Correction, Reconciler } from '../../../services/core/reaping/reconcile.ts';
import { openRooms, type Rooms } from '../../../services/core/rooms/rooms.ts';
import { type Database, openDatabase } from '../../../services/store/database.ts';
import { sql } from '../../../services/store/sql.ts';
import { markSessionsSeen, type PresenceRow } from '../../../services/store/tables/presence.ts';
import type { SessionRow } from '../../../services/store/tables/sessions.ts';
import { upsertTenant } from '../../../services/store/tables/tenants.ts';
import { end, join, type StoredSession, storeSession } from '../../support/databases/stored-conversation.ts';
import { openStoryDatabase, type StoryDatabase } from '../../support/databases/story-database.ts';
import { eventually } from '../../support/eventually.ts';
import { Person } from '../../support/people/person.ts';
import { startRoomServer, type TestRoomServer } from '../../support/rooms/room-server.ts';
import { compiledAgent, publish } from '../../support/world/compiled-agent.ts';

/** No room event reaches anybody here: what the database learns of who is present, it learns from the reconciler. */
let database: StoryDatabase;
let server: TestRoomServer;
let db: Database;
let admin: Database;
let rooms: Rooms;
let tenant: string;
let outages: Outages;
let corrections: Correction[];
let aheadMs: number;
let reconciler: Reconciler;
let faults: string[];

beforeAll(async () => {
  [database, server] = await Promise.all([openStoryDatabase(), startRoomServer()]);
  const { adminUrl, serviceUrl } = database;
  [admin, db] = [openDatabase(adminUrl), openDatabase(serviceUrl)];
  tenant = (await upsertTenant(admin, { slug: 'local', name: 'Local', features: {} })).id;
  const masterKeys = `k1:${Buffer.alloc(32, 1).toString('base64')}`;
  await publish({ serviceUrl, masterKeys, tenant }, [compiledAgent({ agent: 'desk' })]);
  rooms = openRooms({ ...server, publicUrl: server.url });
});

afterAll(async () => {
  await Promise.all([db?.close(), admin?.close()]);
  await Promise.all([database?.[Symbol.asyncDispose](), server?.[Symbol.asyncDispose]()]);
});

beforeEach(async () => {
  await admin.query(sql`delete from sessions`);
  for (const room of await rooms.list()) await rooms.close(room.name);
  outages = makeOutages();
  corrections = [];
  faults = [];
  aheadMs = 0;
  make();
});

function make(parts: { db?: Database; rooms?: Rooms } = {}): void {
  reconciler = new Reconciler({
    ...{ db, rooms, outages, notifier: { tell: () => undefined }, ...parts },
    clock: { now: () => new Date(Date.now() + aheadMs) },
    roomTime: { ours: (ms) => ms },
    elapsedMs: () => performance.now() + aheadMs,
    onCorrection: (what) => corrections.push(what),
    onFault: (room) => faults.push(room),
  });
}

const where = () => ({ db, tenant });
const look = () => reconciler.look();

async function sessionWithRoom(): Promise<StoredSession> {
  const session = await storeSession(where(), 'desk');
  await rooms.create(session.room);
  return session;
}

async function personIn({ room }: StoredSession): Promise<Person> {
  const token = await rooms.personToken(room, 'person', { ttlMs: 60_000, camera: false });
  return Person.join({ wsUrl: server.url, token });
}

async function agentIn({ room: name }: StoredSession): Promise<Room> {
  const room = new Room();
  await room.connect(server.url, await rooms.agentToken(name), { autoSubscribe: false, dynacast: false });
  return room;
}

const presence = ({ id }: StoredSession) =>
  admin.query<PresenceRow>(sql`select * from presence where session_id = ${id} order by joined_at`);

async function row({ id }: StoredSession): Promise<SessionRow | undefined> {
  return (await admin.query<SessionRow>(sql`select * from sessions where id = ${id}`))[0];
}

/** The room server's own figures follow what happens by a moment. */
const inRoom = ({ room }: StoredSession, count: number) =>
  eventually(`${count} are in the room`, async () => (await rooms.participants(room)).length === count);

test('who came without an event is found, the agent that was there before included', async () => {
  const session = await sessionWithRoom();
  const agent = await agentIn(session);
  await look();
  expect(await presence(session)).toEqual([]);
  const before = Date.now();
  await using _person = await personIn(session);
  await inRoom(session, 2);
  await eventually('both are found', async () => {
    await look();
    return (await presence(session)).length === 2;
  });
  const [waiting, person] = await presence(session);
  expect(waiting).toMatchObject({ role: 'agent', joined_by: 'reconciler', left_at: null });
  expect(person).toMatchObject({ role: 'person', joined_by: 'reconciler', left_at: null });
  expect(waiting?.joined_at.getTime()).toBeLessThan(before + 1_000);
  expect((await row(session))?.status).toBe('running');
  await agent.disconnect();
});

test('who is believed gone and is in the room is there', async () => {
  const session = await sessionWithRoom();
  const agent = await agentIn(session);
  await using _person = await personIn(session);
  await inRoom(session, 2);
  await eventually('both are found', async () => {
    await look();
    return (await presence(session)).length === 2;
  });
  // As a host reported it that was making its connection anew.
  await admin.query(sql`update presence set left_at = now(), left_by = 'host' where session_id = ${session.id}`);
  await eventually('both are believed to be there', async () => {
    await look();
    return (await presence(session)).every(({ left_at }) => left_at === null);
  });
  expect(await presence(session)).toHaveLength(2);
  await agent.disconnect();
});

test('a look that finds all as believed proves it and writes no event', async () => {
  const session = await sessionWithRoom();
  const agent = await agentIn(session);
  await using _person = await personIn(session);
  await inRoom(session, 2);
  await eventually('both are found', async () => {
    await look();
    return (await presence(session)).length === 2;
  });
  const events = async () =>
    (await admin.query(sql`select 1 from session_events where session_id = ${session.id}`)).length;
  const before = await events();
  const seen = (await presence(session))[0]?.last_seen_at.getTime() ?? 0;
  aheadMs = 15_000;
  await eventually('presence is proved again', async () => {
    await look();
    return (await presence(session)).every((one) => one.last_seen_at.getTime() > seen);
  });
  expect(await events()).toBe(before);
  await agent.disconnect();
});

test('who left without an event is found, as of the last proof of presence', async () => {
  const session = await sessionWithRoom();
  const { person, agent } = await join(where(), session, new Date(Date.now() - 60_000));
  await admin.query(
    sql`update presence set last_seen_at = now() - interval '20 seconds' where session_id = ${session.id}`,
  );
  await look();
  const rows = await presence(session);
  expect(rows.map((one) => one.participant_sid).toSorted()).toEqual([person, agent].toSorted());
  for (const { left_at, left_by, last_seen_at } of rows) {
    expect(left_by).toBe('reconciler');
    expect(left_at).toEqual(last_seen_at);
  }
  expect(corrections).toEqual(['left', 'left']);
});

test('what a look proves is written down every 15 s, and a departure counts from the look before it all the same', async () => {
  const session = await storeSession(where(), 'desk');
  await join(where(), session, new Date(Date.now() - 60_000));
  let persons = 1;
  const list = async () => [{ name: session.room, persons, createdAt: new Date(), metadata: '' }];
  make({ rooms: { ...rooms, list, participants: async () => [] } });
  const proven = async () => (await presence(session)).map(({ last_seen_at: at }) => at.getTime());
  await look();
  const written = await proven();
  aheadMs = 9_000;
  await look();
  expect(await proven()).toEqual(written);
  persons = 0;
  aheadMs = 12_000;
  await look();
  for (const { left_at } of await presence(session))
    expect(left_at?.getTime()).toBeGreaterThanOrEqual(Math.max(...written) + 9_000);
});

test('a room that is missing twice is empty as of the last proof, and after a minute its session is lost', async () => {
  const session = await storeSession(where(), 'desk');
  await join(where(), session, new Date(Date.now() - 60_000));
  await admin.query(
    sql`update presence set last_seen_at = now() - interval '4 seconds' where session_id = ${session.id}`,
  );
  await look();
  expect((await presence(session)).map(({ left_at }) => left_at)).toEqual([null, null]);
  await look();
  for (const { left_at, last_seen_at } of await presence(session)) expect(left_at).toEqual(last_seen_at);
  aheadMs = 59_000;
  await look();
  expect((await row(session))?.status).toBe('running');
  aheadMs = 61_000;
  await look();
  expect(await row(session)).toMatchObject({ status: 'ended', end_reason: 'room_lost', billed_seconds: 56 });
});

test('a room that is not listed, because the Redis of room servers came back empty, is not lost while somebody is in it', async () => {
  const session = await sessionWithRoom();
  await join(where(), session, new Date());
  await using _person = await personIn(session);
  await inRoom(session, 1);
  make({ rooms: { ...rooms, list: async () => [] } });
  for (aheadMs = 0; aheadMs < 120_000; aheadMs += 10_000) await look();
  expect((await presence(session)).map(({ left_at }) => left_at)).toEqual([null, null]);
  expect((await row(session))?.status).toBe('running');
  expect(corrections).toEqual([]);
});

test('a room that comes back in between is not lost', async () => {
  const session = await storeSession(where(), 'desk');
  await join(where(), session, new Date());
  await look();
  await rooms.create(session.room);
  await look();
  await rooms.close(session.room);
  aheadMs = 61_000;
  await look();
  expect((await row(session))?.status).toBe('running');
  expect(corrections).not.toContain('room_missing');
});

test('while the room server does not answer nothing is concluded, and the wait starts anew', async () => {
  const session = await storeSession(where(), 'desk');
  await join(where(), session, new Date(Date.now() - 5_000));
  await look();
  await server.kill();
  try {
    aheadMs = 120_000;
    await expect(look()).rejects.toThrow();
    expect(outages.calmInMs()).toBeGreaterThan(14_000);
  } finally {
    await server.start();
  }
  await look();
  expect((await presence(session)).map(({ left_at }) => left_at)).toEqual([null, null]);
  expect((await row(session))?.status).toBe('running');
});

test('a room that belongs to nobody is deleted once it is old, and a living one never', async () => {
  const [stray, live, over] = [await sessionWithRoom(), await sessionWithRoom(), await sessionWithRoom()];
  await admin.query(sql`delete from sessions where id = ${stray.id}`);
  await end(where(), over, 'client_ended');
  await look();
  expect(await rooms.list()).toHaveLength(3);
  aheadMs = 61_000;
  await look();
  expect(await rooms.list()).toHaveLength(3);
  aheadMs += 10_001;
  await look();
  expect((await rooms.list()).map(({ name }) => name)).toEqual([live.room]);
  expect(corrections).toEqual(['stray_room_deleted', 'stray_room_deleted']);
});

test('two reconcilers at once find each fact once', async () => {
  const session = await sessionWithRoom();
  await join(where(), session, new Date(Date.now() - 10_000));
  await Promise.all([look(), look(), look()]);
  expect(await presence(session)).toHaveLength(2);
  expect((await presence(session)).every(({ left_at }) => left_at !== null)).toBe(true);
});

test('a room of which the room server or the database says nothing holds up no other, and is no outage', async () => {
  const [unknown, locked, sound] = [await sessionWithRoom(), await sessionWithRoom(), await sessionWithRoom()];
  for (const session of [unknown, locked, sound]) await join(where(), session, new Date(Date.now() - 5_000));
  const refusing: Rooms = {
    ...rooms,
    participants: (room) =>
      room === unknown.room ? Promise.reject(new Error('no response from servers')) : rooms.participants(room),
  };
  const hasty = openDatabase(database.serviceUrl, { queryTimeoutMs: 500 });
  make({ db: hasty, rooms: refusing });
  await admin.asTenant(tenant, async (tx) => {
    await tx.query(sql`select 1 from sessions where id = ${locked.id} for update`);
    await look();
  });
  expect((await presence(sound)).every(({ left_at }) => left_at !== null)).toBe(true);
  expect(faults.toSorted()).toEqual([unknown.room, locked.room].toSorted());
  expect(outages.calmInMs()).toBe(0);
  await hasty.close();
});

test('presence is proved although somebody has a part of it locked', async () => {
  const session = await storeSession(where(), 'desk');
  const { person } = await join(where(), session, new Date(Date.now() - 60_000));
  await admin.asTenant(tenant, async (tx) => {
    await tx.query(
      sql`select 1 from presence where session_id = ${session.id} and participant_sid = ${person} for update`,
    );
    await markSessionsSeen(db, { sessions: [session.id], at: new Date() });
  });
  const proved = (await presence(session)).filter((one) => Date.now() - one.last_seen_at.getTime() < 30_000);
  expect(proved.map(({ role }) => role)).toEqual(['agent']);
});

test('a session whose person is back in the moment in which its room counts as lost goes on', async () => {
  const session = await storeSession(where(), 'desk');
  await join(where(), session, new Date(Date.now() - 60_000));
  let onListed = async (): Promise<unknown> => undefined;
  const list: Rooms['list'] = async (names) => {
    const listed = await rooms.list(names);
    await onListed();
    return listed;
  };
  make({ rooms: { ...rooms, list } });
  await look();
  await look();
  expect(corrections).toContain('room_missing');
  aheadMs = 61_000;
  onListed = () =>
    reportJoined(
      { db, notifier: { tell: () => undefined } },
      {
        ...{ room: session.room, sid: 'PA_back', identity: 'person', role: 'person', source: 'room_event' },
        at: new Date(Date.now() + aheadMs),
      },
    );
  await look();
  expect((await row(session))?.status).toBe('running');
});
