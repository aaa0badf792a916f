import { createHash, randomUUID } from 'node:crypto';
import { AccessToken, RoomServiceClient } from 'livekit-server-sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { everythingAnsweredOnce } from '../../proofs/proof-world.ts';
import { eventually } from '../../support/eventually.ts';
import { Person } from '../../support/people/person.ts';
import { addAgents } from '../../support/world/agent-files.ts';
import { startWorld, type World } from '../../support/world/world.ts';

let world: World;
let rooms: RoomServiceClient;

beforeAll(async () => {
  world = await startWorld({ workers: 0, env: { TEST_TOOLS_URL: 'http://127.0.0.1:9' } });
  await addAgents(world, { single: { limits: { concurrentSessions: 1 } } });
  rooms = new RoomServiceClient(world.rooms.httpUrl, world.rooms.apiKey, world.rooms.apiSecret);
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

/** A room that somebody else made: a telephone bridge, for example. */
async function aRoom(metadata: string): Promise<string> {
  const name = `call-${randomUUID()}`;
  await rooms.createRoom({ name, metadata, emptyTimeout: 300, departureTimeout: 300 });
  return name;
}

/** A participant whose token is none of ours. */
async function arrive(room: string, identity = 'caller'): Promise<Person> {
  const token = new AccessToken(world.rooms.apiKey, world.rooms.apiSecret, { identity });
  token.addGrant({ roomJoin: true, room });
  return Person.join({ wsUrl: world.rooms.url, token: await token.toJwt() });
}

interface StoredSession {
  id: string;
  status: string;
  agent: string;
  channel: string;
  opened_by: string;
  language: string;
  participant_identity: string;
}

const sessionsOf = (room: string) =>
  world.admin.query<StoredSession>(sql`select * from sessions where room_name = ${room}`);

/** What the room server would tell us, signed as it signs. */
async function tell(event: object): Promise<number> {
  const body = JSON.stringify(event);
  const token = new AccessToken(world.rooms.apiKey, world.rooms.apiSecret);
  token.sha256 = createHash('sha256').update(body).digest('base64');
  const response = await fetch(`http://127.0.0.1:${world.apis[0]?.internalPort}/room-events`, {
    method: 'POST',
    headers: { authorization: await token.toJwt(), 'content-type': 'application/webhook+json' },
    body,
  });
  return response.status;
}

const invitation = (fields: Record<string, string> = {}) =>
  JSON.stringify({ parley: { tenant: 'local', agent: 'echo', ...fields } });

test('who arrives in a room that invites an agent is greeted and answered, in a session of its own', async () => {
  const room = await aRoom(invitation());
  await using caller = await arrive(room);
  await caller.hears(/^Welcome to the echo\.$/);
  await caller.ask('who is there?', /^You said: who is there\?$/);
  const [session, ...others] = await sessionsOf(room);
  expect(others).toEqual([]);
  expect(session).toMatchObject({
    status: 'running',
    agent: 'echo',
    channel: 'phone',
    opened_by: 'room',
    language: 'en',
    participant_identity: 'caller',
  });
  await everythingAnsweredOnce(world, session?.id ?? '', ['who is there?']);
  const echo = await world.customer('echo');
  const ended = await echo.endSession(session?.id ?? '');
  expect(ended).toMatchObject({ endReason: 'client_ended', startedAt: expect.any(String) });
  await eventually('the room is gone', () => caller.disconnectedBecause !== undefined);
});

test('the language and the channel are those that the invitation names', async () => {
  const room = await aRoom(invitation({ language: 'DE', channel: 'widget' }));
  await using caller = await arrive(room);
  await caller.hears(/^Willkommen beim Echo\.$/);
  expect(await sessionsOf(room)).toMatchObject([{ language: 'de', channel: 'widget' }]);
});

test('several reports of one arrival, at once and again later, make one session', async () => {
  const room = await aRoom(invitation());
  const event = {
    event: 'participant_joined',
    id: 'EV_1',
    createdAt: String(Math.floor(Date.now() / 1000)),
    room: { name: room, sid: 'RM_1', metadata: invitation() },
    participant: { sid: 'PA_other', identity: 'caller', joinedAtMs: String(Date.now()) },
  };
  await using caller = await arrive(room);
  expect(await Promise.all(Array.from({ length: 8 }, () => tell(event)))).toEqual(Array(8).fill(200));
  await caller.hears(/^Welcome/);
  await caller.ask('hello', /^You said: hello$/);
  expect(await tell(event)).toBe(200);
  expect(await sessionsOf(room)).toHaveLength(1);
  expect(caller.texts().filter((text) => /^Welcome/.test(text))).toHaveLength(1);
});

test('a second person in such a room is in the same session', async () => {
  const room = await aRoom(invitation());
  await using first = await arrive(room, 'first');
  await first.hears(/^Welcome/);
  await using second = await arrive(room, 'second');
  await second.ask('me too', /^You said: me too$/);
  await first.hears(/^You said: me too$/);
  expect(await sessionsOf(room)).toHaveLength(1);
});

test.each([
  ['names no agent', '{"parley": {"tenant": "local"}}'],
  ['names an agent that there is not', '{"parley": {"tenant": "local", "agent": "nobody"}}'],
  ['names a tenant that there is not', '{"parley": {"tenant": "nowhere", "agent": "echo"}}'],
  ['names a language that the agent does not speak', invitation({ language: 'fr' })],
  ['is not JSON', 'parley "parley" echo'],
  ['is empty', ''],
])('a room whose invitation %s stays without a session', async (_, metadata) => {
  const room = await aRoom(metadata);
  await using caller = await arrive(room);
  await eventually('the arrival was told', async () => {
    const { participant } = { participant: await rooms.getParticipant(room, 'caller') };
    const event = { event: 'participant_joined', room: { name: room, metadata }, participant: { ...participant } };
    return (
      (await tell(JSON.parse(JSON.stringify(event, (_key, v) => (typeof v === 'bigint' ? String(v) : v))))) === 200
    );
  });
  expect(await sessionsOf(room)).toEqual([]);
  expect(caller.replies).toEqual([]);
});

test("an arrival beyond the agent's cap is refused, and tried again when there is room", async () => {
  const single = await world.customer('single');
  const taken = await single.createSession();
  const room = await aRoom(invitation({ agent: 'single' }));
  await using caller = await arrive(room);
  const event = {
    event: 'participant_joined',
    room: { name: room, metadata: invitation({ agent: 'single' }) },
    participant: { sid: caller.room.localParticipant?.sid, identity: 'caller', joinedAtMs: String(Date.now()) },
  };
  expect(await tell(event)).toBe(200);
  expect(await sessionsOf(room)).toEqual([]);
  await single.endSession(taken.sessionId);
  expect(await tell(event)).toBe(200);
  await caller.hears(/^Welcome/);
  expect(await sessionsOf(room)).toHaveLength(1);
});

test('a report that is not signed by the room server changes nothing', async () => {
  const room = await aRoom(invitation());
  const body = JSON.stringify({
    event: 'participant_joined',
    room: { name: room, metadata: invitation() },
    participant: { sid: 'PA_x', identity: 'x' },
  });
  const stranger = new AccessToken(world.rooms.apiKey, 'a-secret-that-is-not-the-room-servers-own');
  stranger.sha256 = createHash('sha256').update(body).digest('base64');
  const other = new AccessToken(world.rooms.apiKey, world.rooms.apiSecret);
  other.sha256 = createHash('sha256').update('another body').digest('base64');
  for (const authorization of [await stranger.toJwt(), await other.toJwt(), '']) {
    const response = await fetch(`http://127.0.0.1:${world.apis[0]?.internalPort}/room-events`, {
      method: 'POST',
      headers: { authorization },
      body,
    });
    expect(response.status).toBe(401);
  }
  expect(await sessionsOf(room)).toEqual([]);
});
