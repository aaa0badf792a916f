import { createHash } from 'node:crypto';
import { AccessToken } from 'livekit-server-sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { openRooms } from '../../../services/core/rooms/rooms.ts';
import { type RoomKey, roomKeysText } from '../../../services/settings/room-keys.ts';
import { sql } from '../../../services/store/sql.ts';
import { type FakeHost, startFakeHost } from '../../support/databases/fake-host.ts';
import { eventually } from '../../support/eventually.ts';
import { Person } from '../../support/people/person.ts';
import { ask } from '../../support/people/rest.ts';
import { startRoomServer } from '../../support/rooms/room-server.ts';
import { compiledAgent } from '../../support/world/compiled-agent.ts';
import { startWorld, type World } from '../../support/world/world.ts';

/** A key that everybody knows while it is changed for another. */
const before = { apiKey: 'key-before', apiSecret: 'what-everybody-signed-with-until-now' };

let world: World;
let host: FakeHost;
let key: string;

beforeAll(async () => {
  world = await startWorld({
    ...{ hosts: 0, workers: 0, ownPostgres: true },
    env: { PARLEY_OTHER_ROOM_KEYS: roomKeysText([before]) },
    openRooms: (options) => startRoomServer({ ...options, otherKeys: { [before.apiKey]: before.apiSecret } }),
  });
  key = (await world.publish([compiledAgent()])).desk?.apiKey ?? '';
  host = await startFakeHost(world.serviceUrl, { warmRooms: 20 });
});

afterAll(async () => {
  await host?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

interface EventChoices {
  event: 'participant_joined' | 'participant_left' | 'room_started';
  room: string;
  sid?: string;
  kind?: 'STANDARD' | 'AGENT' | 'SIP';
  attributes?: Record<string, string>;
  metadata?: string;
  joinedAt?: number;
  createdAt?: number;
}

/** The room server's event as JSON, in the form that it sends. */
const eventBody = ({
  event,
  room,
  sid = 'PA_one',
  kind = 'STANDARD',
  metadata = '',
  joinedAt = Date.now(),
  createdAt,
  attributes = {},
}: EventChoices) =>
  JSON.stringify({
    event,
    id: 'EV_x',
    createdAt: String(createdAt ?? Math.floor(Date.now() / 1000)),
    room: { sid: 'RM_x', name: room, metadata, turnPassword: 'never-in-a-log' },
    participant: {
      sid,
      identity: 'person',
      kind,
      attributes,
      joinedAtMs: String(joinedAt),
      joinedAt: String(Math.floor(joinedAt / 1000)),
    },
  });

async function signature(body: string, { apiKey, apiSecret }: RoomKey = world.rooms): Promise<string> {
  const token = new AccessToken(apiKey, apiSecret, { ttl: 300 });
  token.sha256 = createHash('sha256').update(body).digest('base64');
  return token.toJwt();
}

function post(body: string, authorization: string | undefined): Promise<Response> {
  return fetch(`http://127.0.0.1:${world.apis[0]?.internalPort}/room-events`, {
    method: 'POST',
    headers: { 'content-type': 'application/webhook+json', ...(authorization === undefined ? {} : { authorization }) },
    body,
  });
}

async function tell(choices: EventChoices): Promise<number> {
  const body = eventBody(choices);
  return (await post(body, await signature(body))).status;
}

async function newSession(): Promise<{ id: string; room: string; token: string; wsUrl: string }> {
  const { body, text } = await ask(world.baseUrl, 'POST', '/api/sessions', { key });
  const id = String(body.sessionId);
  const [row] = await world.admin.query<{ room_name: string }>(sql`select room_name from sessions where id = ${id}`);
  if (!row) throw new Error(text);
  return { id, room: row.room_name, token: String(body.token), wsUrl: String(body.wsUrl) };
}

interface Stay {
  participant_sid: string;
  role: string;
  joined_at: Date;
  left_at: Date | null;
  joined_by: string;
}

const stays = (id: string) =>
  world.admin.query<Stay>(
    sql`select participant_sid, role, joined_at, left_at, joined_by from presence where session_id = ${id}`,
  );
const statusOf = async (id: string) =>
  (await world.admin.query<{ status: string }>(sql`select status from sessions where id = ${id}`))[0]?.status;

describe('an event of the room server', () => {
  test('that somebody joined makes the session run, at the time the room server saw it', async () => {
    const { id, room } = await newSession();
    const joinedAt = Date.now() - 250;
    expect(await tell({ event: 'participant_joined', room, joinedAt })).toBe(200);
    expect(await statusOf(id)).toBe('running');
    expect(await stays(id)).toEqual([
      {
        participant_sid: 'PA_one',
        role: 'person',
        joined_at: new Date(joinedAt),
        left_at: null,
        joined_by: 'room_event',
      },
    ]);
  });

  test('told twice, or in the wrong order, is one stay', async () => {
    const { id, room } = await newSession();
    const joinedAt = Date.now() - 1_000;
    expect(await tell({ event: 'participant_left', room, joinedAt })).toBe(200);
    expect(await tell({ event: 'participant_joined', room, joinedAt })).toBe(200);
    expect(await tell({ event: 'participant_joined', room, joinedAt })).toBe(200);
    const [stay, ...more] = await stays(id);
    expect(more).toEqual([]);
    expect(stay?.joined_at).toEqual(new Date(joinedAt));
    expect(stay?.left_at).toBeInstanceOf(Date);
  });

  test('that comes long after the leave counts from its own time', async () => {
    const { id, room } = await newSession();
    const left = Math.floor(Date.now() / 1000) - 20;
    expect(await tell({ event: 'participant_left', room, joinedAt: (left - 5) * 1000, createdAt: left })).toBe(200);
    expect((await stays(id))[0]?.left_at).toEqual(new Date(left * 1000));
  });

  test('about an agent does not make a person', async () => {
    const { id, room } = await newSession();
    expect(await tell({ event: 'participant_joined', room, kind: 'AGENT', sid: 'PA_agent' })).toBe(200);
    expect(await statusOf(id)).toBe('created');
    expect((await stays(id)).map(({ role }) => role)).toEqual(['agent']);
  });

  test('without the room server’s signature is refused and changes nothing', async () => {
    const { id, room } = await newSession();
    const body = eventBody({ event: 'participant_joined', room });
    const good = await signature(body);
    for (const [sent, authorization] of [
      [body, undefined],
      [body, 'rubbish'],
      [body, await signature(body, { ...world.rooms, apiSecret: 'another secret, which is long enough too' })],
      [body, await signature(body, { ...world.rooms, apiKey: before.apiKey })],
      [body.replace('PA_one', 'PA_two'), good],
      ['', good],
      ['{', good],
    ] as const) {
      const answer = await post(sent, authorization);
      expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([401, 'invalid_token']);
    }
    expect(await statusOf(id)).toBe('created');
  });

  test('is taken by the key of before, too, while keys are changed', async () => {
    const { id, room } = await newSession();
    const body = eventBody({ event: 'participant_joined', room });
    expect((await post(body, await signature(body, before))).status).toBe(200);
    expect(await statusOf(id)).toBe('running');
  });

  test('about anything else is taken and forgotten', async () => {
    expect(await tell({ event: 'room_started', room: 'r_whatever' })).toBe(200);
    expect(await tell({ event: 'participant_joined', room: 'r_unknown' })).toBe(200);
    expect(await tell({ event: 'participant_left', room: 'r_unknown' })).toBe(200);
  });

  test('is to be told again while the database is away', async () => {
    const { id, room } = await newSession();
    const joinedAt = Date.now();
    await world.postgres.stop();
    expect(await tell({ event: 'participant_joined', room, joinedAt })).toBe(503);
    await world.postgres.start();
    await eventually('it is taken', async () => (await tell({ event: 'participant_joined', room, joinedAt })) === 200);
    expect(await statusOf(id)).toBe('running');
    // While the host's lock was away with its connection, its warm rooms were taken for a dead host's.
    await eventually('the host is back', async () => (await host.addWarmRooms(5)).length > 0);
  });
});

describe('arrivals in rooms without a session', () => {
  const invitation = (agent: string, more: object = {}) =>
    JSON.stringify({ parley: { tenant: 'local', agent, ...more } });
  const sessionsIn = (room: string) =>
    world.admin.query<{ id: string; opened_by: string; channel: string; language: string; status: string }>(
      sql`select id, opened_by, channel, language, status from sessions where room_name = ${room}`,
    );

  test('somebody in a room without a session, made for an agent, gets one, however often it is told', async () => {
    const room = 'inbound +49 30 1234567';
    const ringing = {
      event: 'participant_joined',
      room,
      kind: 'SIP',
      attributes: { 'sip.callStatus': 'ringing' },
      metadata: invitation('desk', { language: 'de-de' }),
    } as const;
    expect(await Promise.all([tell(ringing), tell(ringing)])).toEqual([200, 200]);
    expect(await sessionsIn(room)).toMatchObject([{ opened_by: 'room', status: 'created' }]);
    const event = { ...ringing, attributes: { 'sip.callStatus': 'active' } };
    const statuses = await Promise.all([tell(event), tell(event), tell(event)]);
    expect(statuses).toEqual([200, 200, 200]);
    expect(await sessionsIn(room)).toEqual([
      { id: expect.any(String), opened_by: 'room', channel: 'phone', language: 'de-DE', status: 'running' },
    ]);
    const config = await ask(world.baseUrl, 'GET', `/api/sessions/config/${encodeURIComponent(room)}`, { key });
    expect([config.status, config.body.roomName]).toEqual([200, room]);
  });

  test('a room for an agent or tenant that is not there stays without one', async () => {
    for (const metadata of [
      invitation('nobody'),
      JSON.stringify({ parley: { tenant: 'nowhere', agent: 'desk' } }),
      '{"other":1}',
    ]) {
      expect(await tell({ event: 'participant_joined', room: 'stray', metadata })).toBe(200);
    }
    expect(await sessionsIn('stray')).toEqual([]);
  });

  test('an agent alone in such a room opens nothing', async () => {
    expect(
      await tell({ event: 'participant_joined', room: 'agent-only', kind: 'AGENT', metadata: invitation('desk') }),
    ).toBe(200);
    expect(await sessionsIn('agent-only')).toEqual([]);
  });
});

test('whoever comes into the room of an ended session, made again while it was deleted, is sent out of it', async () => {
  const { id, room, token, wsUrl } = await newSession();
  await ask(world.baseUrl, 'POST', `/api/sessions/${id}/end`, { key });
  await world.admin.query(sql`update sessions set host_id = null where id = ${id}`);
  const { url, apiKey, apiSecret } = world.rooms;
  const rooms = openRooms({ url, publicUrl: url, apiKey, apiSecret });
  await rooms.create(room);
  await using person = await Person.join({ wsUrl, token });
  await eventually('the person is sent out', () => person.disconnectedBecause !== undefined);
  await eventually('the room is gone', async () => (await rooms.list([room])).length === 0);
});

test('a person who joins and leaves a real room is seen by its events', async () => {
  const { id, room, token, wsUrl } = await newSession();
  const { url, apiKey, apiSecret } = world.rooms;
  await openRooms({ url, publicUrl: url, apiKey, apiSecret }).create(room);
  const person = await Person.join({ wsUrl, token });
  await eventually('the session runs', async () => (await statusOf(id)) === 'running');
  await person.leave();
  const stay = await eventually('the stay is over', async () =>
    (await stays(id)).find(({ left_at }) => left_at !== null),
  );
  expect(stay.role).toBe('person');
  await ask(world.baseUrl, 'POST', `/api/sessions/${id}/end`, { key });
  const output = world.apis[0]?.output() ?? '';
  expect(output).not.toMatch(/never-in-a-log|turnPassword/);
  expect(output.includes(room)).toBe(false);
});

describe('while keys are changed', () => {
  /** As a SIP bridge enters the room of a call: the answer to its request, or that it is a WebSocket. */
  async function enter({ apiKey, apiSecret }: RoomKey): Promise<number | 'joined'> {
    const token = new AccessToken(apiKey, apiSecret, { ttl: 60, identity: 'sip_one' });
    token.kind = 'sip';
    token.addGrant({ room: `call_+4930999_${apiKey}`, roomJoin: true });
    const url = `ws://127.0.0.1:${world.apis[0]?.internalPort}/bridge/rtc?protocol=16`;
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${await token.toJwt()}` } });
    try {
      return await new Promise((resolve, reject) => {
        // The room server's first message to whoever has joined.
        socket.once('message', () => resolve('joined'));
        socket.once('unexpected-response', (_, { statusCode = 0 }) => resolve(statusCode));
        socket.once('error', reject);
      });
    } finally {
      socket.terminate();
    }
  }

  test('a SIP bridge that has the key of before enters rooms, as one with the new key does', async () => {
    expect(await enter(before)).toBe('joined');
    expect(await enter(world.rooms)).toBe('joined');
  });

  test('one with a key of nobody’s does not', async () => {
    expect(await enter({ ...before, apiSecret: world.rooms.apiSecret })).toBe(404);
    expect(await enter({ ...before, apiKey: 'another' })).toBe(404);
  });
});
