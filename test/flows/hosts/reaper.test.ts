import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { reportJoined, reportLeft } from '../../../services/core/presence/presence.ts';
import { makeOutages, type Outages } from '../../../services/core/reaping/outages.ts';
import { type ReapDeps, reapDueSessions } from '../../../services/core/reaping/reap.ts';
import { deleteDueSessions, forgetExpiredMarks } from '../../../services/core/retention/retention.ts';
import { type Database, openDatabase } from '../../../services/store/database.ts';
import { sql } from '../../../services/store/sql.ts';
import type { SessionRow } from '../../../services/store/tables/sessions.ts';
import { upsertTenant } from '../../../services/store/tables/tenants.ts';
import {
  end,
  join,
  type StoredSession,
  say,
  storeConversation,
  storeSession,
} from '../../support/databases/stored-conversation.ts';
import { openStoryDatabase, type StoryDatabase } from '../../support/databases/story-database.ts';
import { eventually } from '../../support/eventually.ts';
import { compiledAgent, publish } from '../../support/world/compiled-agent.ts';

const limits = compiledAgent().limits;
const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1_000);
const silent = { tell: () => undefined };

let database: StoryDatabase;
let db: Database;
let admin: Database;
let tenant: string;
let outages: Outages;

beforeAll(async () => {
  database = await openStoryDatabase();
  const { adminUrl, serviceUrl } = database;
  [admin, db] = [openDatabase(adminUrl), openDatabase(serviceUrl)];
  tenant = (await upsertTenant(admin, { slug: 'local', name: 'Local', features: {} })).id;
  const masterKeys = `k1:${Buffer.alloc(32, 1).toString('base64')}`;
  await publish({ serviceUrl, masterKeys, tenant }, [
    compiledAgent({ agent: 'desk' }),
    compiledAgent({
      agent: 'brief',
      definition: { limits: { ...limits, joinTimeoutMs: 1_000, maxDurationMs: 2_000 } },
    }),
    compiledAgent({ agent: 'quiet', definition: { limits: { ...limits, idleTimeoutMs: 2_000 } } }),
    compiledAgent({ agent: 'short-lived', definition: { retentionMs: 1 } }),
  ]);
  // Until PostgreSQL has been up for 15 s absence ends nobody's conversation.
  await eventually('PostgreSQL has settled', async () => {
    const [row] = await admin.query<{ up: number }>(
      sql`select extract(epoch from clock_timestamp() - pg_postmaster_start_time())::float8 as up`,
    );
    return (row?.up ?? 0) > 15.5;
  });
});

afterAll(async () => {
  await Promise.all([db?.close(), admin?.close()]);
  await database?.[Symbol.asyncDispose]();
});

beforeEach(async () => {
  outages = makeOutages();
  await admin.query(sql`delete from sessions`);
});

const where = () => ({ db, tenant });

const reap = (given: Outages = outages, parts: Partial<ReapDeps> = {}) =>
  reapDueSessions({
    ...{ db, notifier: silent, rooms: { close: async () => undefined } },
    outages: given,
    onFault: (_session, error) => {
      throw error;
    },
    ...parts,
  });

async function row({ id }: StoredSession): Promise<SessionRow> {
  const [found] = await admin.query<SessionRow>(sql`select * from sessions where id = ${id}`);
  if (!found) throw new Error('the session is gone');
  return found;
}

/** The session as if everything about it had happened that much earlier. */
async function age(session: StoredSession, seconds: number): Promise<void> {
  await admin.query(sql`
    update sessions set created_at = created_at - ${seconds} * interval '1 second',
      started_at = started_at - ${seconds} * interval '1 second',
      last_activity_at = last_activity_at - ${seconds} * interval '1 second',
      unattended_since = unattended_since - ${seconds} * interval '1 second',
      deadline_at = deadline_at - ${seconds} * interval '1 second' where id = ${session.id}`);
}

/** A person and an agent came `came` seconds ago. */
async function running(agent: string, came: number): Promise<StoredSession & { person: string }> {
  const session = await storeSession(where(), agent);
  await age(session, came);
  await admin.query(sql`update sessions set unattended_since = null where id = ${session.id}`);
  const { person } = await join(where(), session, secondsAgo(came));
  return { ...session, person };
}

async function leave({ room, person }: { room: string; person: string }, seconds: number): Promise<void> {
  const sighting = { room, sid: person, identity: 'person', role: 'person', source: 'room_event' } as const;
  await reportLeft({ db, notifier: silent }, { ...sighting, at: secondsAgo(seconds) });
}

test('one look ends more than a batch of sessions that are due at once, as after an outage', async () => {
  const sessions = await Promise.all(Array.from({ length: 130 }, () => storeSession(where(), 'brief')));
  await admin.query(
    sql`update sessions set created_at = now() - interval '1 minute', deadline_at = now() where id = any (${sessions.map(({ id }) => id)})`,
  );
  expect(await reap()).toHaveLength(130);
});

test('a session that nobody joined ends when its time to join is over, and costs nothing', async () => {
  const session = await storeSession(where(), 'brief');
  expect(await reap()).toEqual([]);
  await age(session, 1.5);
  expect(await reap()).toEqual(['never_joined']);
  expect(await row(session)).toMatchObject({
    status: 'ended',
    billed_seconds: 0,
    duration_seconds: 0,
    started_at: null,
  });
});

test('a person who is gone longer than the grace has left, as of the leave', async () => {
  const session = await running('desk', 100);
  await leave(session, 40);
  expect(await reap()).toEqual(['participant_left']);
  const ended = await row(session);
  expect(ended).toMatchObject({ end_reason: 'participant_left', billed_seconds: 60, duration_seconds: 60 });
  expect(Math.abs((ended.ended_at?.getTime() ?? 0) - secondsAgo(40).getTime())).toBeLessThan(5_000);
});

test('a person who is gone for less than the grace has not', async () => {
  const session = await running('desk', 100);
  await leave(session, 10);
  await admin.query(sql`update sessions set deadline_at = now() where id = ${session.id}`);
  expect(await reap()).toEqual([]);
  const { status, deadline_at } = await row(session);
  expect(status).toBe('running');
  expect(deadline_at.getTime()).toBeGreaterThan(Date.now() + 10_000);
});

test('a deadline that moved on meanwhile is moved, and the session goes on', async () => {
  const session = await running('quiet', 1);
  await age(session, 3);
  await say(where(), session, { lines: [['USER', 'still here']] });
  expect(await reap()).toEqual([]);
  expect((await row(session)).deadline_at.getTime()).toBeGreaterThan(Date.now());
});

test('silence and the longest duration end a session at the moment they say', async () => {
  const quiet = await running('quiet', 10);
  const brief = await running('brief', 10);
  expect((await reap()).toSorted()).toEqual(['idle_timeout', 'max_duration']);
  expect(await row(quiet)).toMatchObject({ end_reason: 'idle_timeout' });
  expect(await row(brief)).toMatchObject({ end_reason: 'max_duration', duration_seconds: 2, billed_seconds: 2 });
});

test('a session whose agent stays away ends, as unavailable', async () => {
  const session = await running('desk', 100);
  await admin.query(sql`
    update sessions set unattended_since = now() - interval '61 seconds', deadline_at = now() where id = ${session.id}`);
  expect(await reap()).toEqual(['agent_unavailable']);
});

test('after an outage of ours absence ends nothing for 15 seconds; a time limit still does', async () => {
  let now = 0;
  const watched = makeOutages(() => now);
  watched.note();
  const left = await running('desk', 100);
  await leave(left, 40);
  const quiet = await running('quiet', 10);
  const brief = await running('brief', 10);
  expect(await reap(watched)).toEqual(['max_duration']);
  expect(await row(brief)).toMatchObject({ end_reason: 'max_duration' });
  for (const session of [left, quiet]) {
    const { status, deadline_at } = await row(session);
    expect(status).toBe('running');
    expect(deadline_at.getTime()).toBeGreaterThan(Date.now() + 10_000);
    await admin.query(sql`update sessions set deadline_at = now() where id = ${session.id}`);
  }
  now += 15_001;
  expect((await reap(watched)).toSorted()).toEqual(['idle_timeout', 'participant_left']);
});

test('two reapers end each session once, with one job for each', async () => {
  const sessions = await Promise.all(Array.from({ length: 60 }, () => storeSession(where(), 'brief')));
  await Promise.all(sessions.map((session) => age(session, 2)));
  const ended = (await Promise.all([reap(), reap(), reap()])).flat();
  expect(ended.length).toBeGreaterThanOrEqual(60);
  const [counts] = await admin.query(sql`
    select (select count(*)::int from sessions where status = 'ended') as ended,
      (select count(*)::int from session_events where kind = 'ended') as events,
      (select count(*)::int from graphile_worker.jobs where task_identifier = 'finish_session'
        and key = any (${sessions.map(({ id }) => `finish ${id}`)})) as jobs,
      (select sum(sessions)::int from agent_usage where agent = 'brief') as ledger`);
  expect(counts).toMatchObject({ ended: 60, events: 60, jobs: 60 });
});

test('nobody comes back between the judgement and the end', async () => {
  const session = await running('desk', 100);
  await leave(session, 40);
  let transactions = 0;
  const watched: Database = {
    ...db,
    asTenant: async (whose, work) => {
      transactions += 1;
      if (transactions === 2) {
        const back = { room: session.room, sid: 'PA_back', identity: 'person', role: 'person' } as const;
        await reportJoined({ db, notifier: silent }, { ...back, source: 'room_event', at: new Date() });
      }
      return db.asTenant(whose, work);
    },
  };
  expect(await reap(outages, { db: watched })).toEqual(['participant_left']);
  expect(await row(session)).toMatchObject({ status: 'ended', end_reason: 'participant_left' });
  expect(
    await admin.query(sql`select 1 from presence where session_id = ${session.id} and participant_sid = 'PA_back'`),
  ).toEqual([]);
});

test('a session that somebody has locked is left for the next look, and the others end', async () => {
  const [locked, other] = [await running('brief', 20), await running('brief', 10)];
  await admin.asTenant(tenant, async (tx) => {
    await tx.query(sql`select 1 from sessions where id = ${locked.id} for update`);
    expect(await reap()).toEqual(['max_duration']);
  });
  expect((await row(other)).status).toBe('ended');
  expect(await reap()).toEqual(['max_duration']);
});

test('a session that cannot be ended holds up no other, makes room for them, and is no outage', async () => {
  await storeConversation(where(), { agent: 'brief' });
  const [stuck, left] = [await running('brief', 20), await running('desk', 100)];
  await leave(left, 40);
  const faults: string[] = [];
  await admin.asTenant(tenant, async (tx) => {
    await tx.query(sql`select 1 from agent_usage where agent = 'brief' for update`);
    const onFault = (session: string) => void faults.push(session);
    expect(await reap(outages, { onFault })).toEqual(['participant_left']);
    expect(await reap(outages, { onFault })).toEqual([]);
  });
  expect(faults).toEqual([stuck.id]);
  expect(outages.calmInMs()).toBe(0);
  await admin.query(sql`update sessions set deadline_at = now() where id = ${stuck.id}`);
  expect(await reap()).toEqual(['max_duration']);
});

test('a database that does not answer is an outage', async () => {
  const away = openDatabase('postgres://nobody:x@127.0.0.1:1/nothing');
  await expect(reap(outages, { db: away })).rejects.toThrow();
  expect(outages.calmInMs()).toBeGreaterThan(14_000);
  await away.close();
});

test('what is due is deleted with everything of it, and nothing else is', async () => {
  const kept = await storeConversation(where(), { agent: 'desk' });
  const due = await storeConversation(where(), { agent: 'short-lived', toolCalls: [{ name: 'x', status: 'ok' }] });
  const live = await storeSession(where(), 'short-lived');
  await admin.query(sql`update sessions set finished_at = ended_at where status = 'ended'`);
  await eventually('its retention is over', async () => Number((await row(due)).delete_after) < Date.now());
  expect(await deleteDueSessions({ db })).toBe(1);
  for (const table of ['messages', 'presence', 'tool_calls', 'session_events'])
    expect(await admin.query({ text: `select 1 from ${table} where session_id = $1`, values: [due.id] })).toEqual([]);
  const left = await admin.query<{ id: string }>(sql`select id from sessions order by created_at`);
  expect(left.map(({ id }) => id).toSorted()).toEqual([kept.id, live.id].toSorted());
  await end(where(), live, 'client_ended');
  await forgetExpiredMarks({ db });
});

test('a webhook that is still owed outlives its session, and goes once it was delivered or given up', async () => {
  const due = await storeConversation(where(), { agent: 'short-lived' });
  const [owed, made] = [randomUUID(), randomUUID()];
  const insert = (id: string, event: string, status: string) =>
    admin.query(sql`
      insert into deliveries (id, tenant_id, agent, session_id, event, url, body, status)
      values (${id}, ${where().tenant}, 'short-lived', ${due.id}, ${event}, 'https://x.example', '{}', ${status})`);
  await insert(owed, 'conversation.finished', 'pending');
  await insert(made, 'conversation.test', 'pending');
  const deliveries = () =>
    admin.query<{ id: string; session_id: string | null }>(sql`
    select id, session_id from deliveries where id = any(${[owed, made]}) order by event`);
  const retention = async () => {
    await deleteDueSessions({ db });
    await forgetExpiredMarks({ db });
  };
  await eventually('its retention is over', async () => Number((await row(due)).delete_after) < Date.now());
  // Its books are not closed: the delivery might not even be there yet.
  await retention();
  expect(await row(due)).toBeDefined();
  await admin.query(sql`update sessions set finished_at = ended_at where id = ${due.id}`);
  await retention();
  await expect(row(due)).rejects.toThrow('the session is gone');
  expect((await deliveries()).map(({ id }) => id)).toContain(owed);
  await admin.query(sql`update deliveries set status = 'failed' where id = ${owed}`);
  await retention();
  expect((await deliveries()).map(({ id }) => id)).toEqual([made]);
});
