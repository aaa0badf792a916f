import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertSession } from '../../services/core/channels/new-session.ts';
import {
  type PresenceDeps,
  reportAgentReady,
  reportJoined,
  reportLeft,
  reportRoomLost,
  type Sighting,
} from '../../services/core/presence/presence.ts';
import { sql } from '../../services/store/sql.ts';
import { insertHost, releaseHost, releaseSession } from '../../services/store/tables/hosts.ts';
import type { PresenceRow } from '../../services/store/tables/presence.ts';
import type { SessionRow } from '../../services/store/tables/sessions.ts';
import { type MigratedDatabase, newSession, startMigratedDatabase } from '../support/databases/migrated-database.ts';

let store: MigratedDatabase;
let owner: { tenant: string; version: string };

beforeAll(async () => {
  store = await startMigratedDatabase();
  owner = await store.addTenant('owner');
});

afterAll(async () => {
  await store?.[Symbol.asyncDispose]();
});

const start = Date.parse('2026-03-01T12:00:00Z');
const at = (seconds: number) => new Date(start + seconds * 1_000);
const deps = (): PresenceDeps => ({ db: store.db, notifier: { tell: () => undefined } });

/** A running session of a host with this epoch: agent and person came at second 0. */
async function aConversation(epoch = 1) {
  const { session_id: id, room_name: room } = await insertSession(store.db, newSession(owner));
  await store.admin.query(
    sql`update sessions set host_id = gen_random_uuid(), epoch = ${epoch}, unattended_since = null, agent_ready_at = ${at(0)} where id = ${id}`,
  );
  const seen = (role: 'person' | 'agent', source: Sighting['source'], seconds: number, sid = `PA_${role}`) => ({
    ...{ room, sid, identity: role, role, source, at: at(seconds) },
  });
  for (const role of ['agent', 'person'] as const) await reportJoined(deps(), seen(role, 'room_event', 0));
  const presence = () =>
    store.admin.query<PresenceRow>(
      sql`select * from presence where session_id = ${id} order by joined_at, participant_sid`,
    );
  const leftAt = async (role: 'person' | 'agent') => (await presence()).find((row) => row.role === role)?.left_at;
  const row = async () => (await store.admin.query<SessionRow>(sql`select * from sessions where id = ${id}`))[0];
  return { id, room, seen, presence, leftAt, row };
}

describe('who is seen after the leave that was reported', () => {
  test('has not left, and the session waits for no grace', async () => {
    const { seen, leftAt, row } = await aConversation();
    await reportLeft(deps(), seen('person', 'host', 40));
    const graceEnds = (await row())?.deadline_at?.getTime() ?? 0;
    await reportJoined(deps(), { ...seen('person', 'host', 40), at: new Date(at(40).getTime() + 100) });
    expect(await leftAt('person')).toBeNull();
    expect((await row())?.deadline_at?.getTime()).toBeGreaterThan(graceEnds);
  });

  test('has left where the room server said so and a host only heard late of the join', async () => {
    const { seen, leftAt } = await aConversation();
    await reportLeft(deps(), seen('person', 'room_event', 2));
    await reportJoined(deps(), seen('person', 'host', 3));
    expect(await leftAt('person')).toEqual(at(2));
  });

  test('has left where the report of the join is only late', async () => {
    const { seen, leftAt } = await aConversation();
    await reportLeft(deps(), seen('person', 'reconciler', 40));
    await reportJoined(deps(), seen('person', 'room_event', 0));
    expect(await leftAt('person')).toEqual(at(40));
  });

  test('may be the agent, whose host says that it is back', async () => {
    const { id, seen, leftAt } = await aConversation(2);
    await reportLeft(deps(), seen('agent', 'reconciler', 20));
    const lease = { tenant_id: owner.tenant, session_id: id, epoch: 2 };
    await reportAgentReady(deps(), lease, { sid: 'PA_agent', identity: 'agent', at: at(30) });
    expect(await leftAt('agent')).toBeNull();
  });
});

test('a second report of a leave is no sign of life', async () => {
  const { seen, leftAt } = await aConversation();
  await reportLeft(deps(), seen('person', 'reconciler', 40));
  await reportLeft(deps(), seen('person', 'host', 45));
  expect(await leftAt('person')).toEqual(at(40));
});

test.each([
  ['room_event', 'reconciler'],
  ['reconciler', 'room_event'],
] as const)(
  'who is found missing has left when the room server says so, also if %s tells before %s',
  async (...sources) => {
    const { seen, leftAt } = await aConversation();
    // A look knows only that somebody was still there at the one before it.
    const told = { room_event: 40, reconciler: 37 };
    for (const source of sources) await reportLeft(deps(), seen('person', source, told[source]));
    expect(await leftAt('person')).toEqual(at(40));
  },
);

test('a host whose session another has taken is not believed', async () => {
  const { id, seen, leftAt } = await aConversation(2);
  await reportLeft(deps(), { ...seen('person', 'host', 40), epoch: 1 });
  expect(await leftAt('person')).toBeNull();
  expect(
    await store.admin.query(sql`select 1 from session_events where session_id = ${id} and kind = 'left'`),
  ).toHaveLength(0);
  await reportLeft(deps(), { ...seen('person', 'host', 41), epoch: 2 });
  expect(await leftAt('person')).toEqual(at(41));
});

test('a room that was lost empties of those who were in it before the look, not of those who have come back since', async () => {
  const { room, seen, presence } = await aConversation();
  await reportJoined(deps(), seen('person', 'room_event', 60, 'PA_again'));
  await reportRoomLost(deps(), { room, at: at(50), lookedAt: at(59), source: 'reconciler' });
  expect((await presence()).map(({ participant_sid: sid, left_at }) => [sid, left_at])).toEqual([
    ['PA_agent', at(50)],
    ['PA_person', at(50)],
    ['PA_again', null],
  ]);
});

describe('a session that its agent has left', () => {
  const agent = (seen: Awaited<ReturnType<typeof aConversation>>['seen'], seconds: number, sid?: string) =>
    seen('agent', 'room_event', seconds, sid);

  test('is without one since then, and ends a minute later', async () => {
    const { seen, row } = await aConversation();
    await reportLeft(deps(), agent(seen, 20));
    expect(await row()).toMatchObject({ unattended_since: at(20), deadline_at: at(80) });
  });

  test('has one again when one comes, in whichever order that is told', async () => {
    const { seen, row } = await aConversation();
    await reportLeft(deps(), agent(seen, 20));
    await reportJoined(deps(), agent(seen, 21, 'PA_next'));
    expect((await row())?.unattended_since).toBeNull();
    expect((await row())?.deadline_at.getTime()).toBeGreaterThan(at(80).getTime());
    await reportJoined(deps(), agent(seen, 30, 'PA_third'));
    await reportLeft(deps(), agent(seen, 31, 'PA_next'));
    expect((await row())?.unattended_since).toBeNull();
  });

  test('is not attended by the agent of a host that was proven dead, which the room server goes on listing', async () => {
    const { seen, leftAt, row } = await aConversation();
    const host = (await row())?.host_id as string;
    await insertHost(store.db, { id: host, lockKey: 7, capacity: 1, voiceCapacity: 0 });
    await store.admin.query(sql`update hosts set beat_at = ${at(10)} where id = ${host}`);
    expect(await releaseHost(store.db, host)).toBe(1);
    expect(await leftAt('agent')).toEqual(at(10));
    await reportJoined(deps(), seen('agent', 'reconciler', 13));
    await reportLeft(deps(), seen('agent', 'room_event', 30));
    expect(await leftAt('agent')).toEqual(at(10));
    expect((await row())?.unattended_since).not.toBeNull();
  });

  test('and that its host gave away is judged a minute later', async () => {
    const { id, row } = await aConversation();
    await store.admin.query(
      sql`update sessions set deadline_at = clock_timestamp() + interval '1 hour' where id = ${id}`,
    );
    await store.db.asTenant(owner.tenant, (tx) => releaseSession(tx, { session: id, epoch: 1 }));
    const { unattended_since: since, deadline_at: deadline } = (await row()) ?? {};
    expect((deadline?.getTime() ?? 0) - (since?.getTime() ?? 0)).toBeGreaterThanOrEqual(60_000);
    expect((deadline?.getTime() ?? 0) - (since?.getTime() ?? 0)).toBeLessThan(61_000);
  });
});
