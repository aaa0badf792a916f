import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EndReason } from '../../services/contract/end-reasons.ts';
import { insertSession } from '../../services/core/channels/new-session.ts';
import { type PresenceDeps, reportJoined, reportLeft } from '../../services/core/presence/presence.ts';
import { abandonSession, type EndDeps, endSession, endUnderLease } from '../../services/core/sessions/end.ts';
import { sql } from '../../services/store/sql.ts';
import { type MigratedDatabase, newSession, startMigratedDatabase } from '../support/databases/migrated-database.ts';

let store: MigratedDatabase;
let owner: { tenant: string; version: string };
let strangers: { tenant: string; version: string };

beforeAll(async () => {
  store = await startMigratedDatabase();
  [owner, strangers] = [await store.addTenant('owner'), await store.addTenant('strangers')];
});

afterAll(async () => {
  await store?.[Symbol.asyncDispose]();
});

const second = 1_000;
const start = Date.parse('2026-03-01T23:59:00Z');
const at = (seconds: number) => new Date(start + seconds * second);

/** Everything that ending a session does, and what it tells whom. */
function deps(now = at(600)) {
  const closed: string[] = [];
  const told: string[] = [];
  const all: EndDeps & PresenceDeps = {
    db: store.db,
    rooms: { close: async (room) => void closed.push(room) },
    notifier: { tell: (_, payload) => void told.push(payload) },
  };
  return { ...all, closed, told, now };
}

/** A session that was created at second 0, with people in it. */
async function aSession({ host = false }: { host?: boolean } = {}) {
  const { session_id: id, room_name: room } = await insertSession(store.db, newSession(owner));
  await store.admin.query(sql`update sessions set created_at = ${at(0)}, last_activity_at = ${at(0)},
    delete_after = ${at(3_600)} where id = ${id}`);
  if (host) await store.admin.query(sql`update sessions set host_id = gen_random_uuid(), epoch = 1 where id = ${id}`);
  const seen = (role: 'person' | 'agent', seconds: number, sid: string) =>
    ({ room, sid, identity: role, role, source: 'room_event', at: at(seconds) }) as const;
  return {
    id,
    room,
    joined: (role: 'person' | 'agent', seconds: number, sid = `PA_${role}`) =>
      reportJoined(deps(), seen(role, seconds, sid)),
    left: (role: 'person' | 'agent', seconds: number, sid = `PA_${role}`) =>
      reportLeft(deps(), seen(role, seconds, sid)),
    end: (reason: EndReason = 'client_ended', with_ = deps(), at = with_.now) =>
      endSession(with_, { tenant: owner.tenant, session: id, reason, source: 'api', at }),
  };
}

const rows = <Row>(query: ReturnType<typeof sql>) => store.admin.query<Row>(query);
const ledger = () =>
  rows<{ day: string; sessions: number; seconds: number }>(sql`
    select day::text, sessions, billed_seconds::integer as seconds from agent_usage where tenant_id = ${owner.tenant} order by day`);
const finishJobs = (id: string) =>
  rows<{ key: string }>(sql`select key from graphile_worker.jobs where key = ${`finish ${id}`}`);
const endedEvents = (id: string) =>
  rows<{ data: unknown }>(sql`select data from session_events where session_id = ${id} and kind = 'ended'`);

describe('ending a session', () => {
  test('computes its figures from who was there, closes what is open and answers them', async () => {
    const session = await aSession();
    await session.joined('agent', 1);
    await session.joined('person', 10);
    const ended = await session.end();
    expect(ended).toEqual({
      sessionId: session.id,
      status: 'ended',
      endReason: 'client_ended',
      startedAt: at(10),
      endedAt: at(600),
      durationSeconds: 590,
      billedSeconds: 590,
    });
    const open = await rows(sql`select 1 from presence where session_id = ${session.id} and left_at is null`);
    expect(open).toEqual([]);
  });

  test('happens once, whoever says so and however many at once', async () => {
    const session = await aSession();
    await session.joined('agent', 1);
    await session.joined('person', 10);
    const before = await ledger();
    const reasons: EndReason[] = ['client_ended', 'agent_ended', 'max_duration', 'idle_timeout', 'operator_ended'];
    const with_ = deps();
    const answers = await Promise.all([...reasons, ...reasons].map((reason) => session.end(reason, with_)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await session.end('room_lost', deps(at(900)))).toEqual(answers[0]);
    expect(await endedEvents(session.id)).toEqual([{ data: { reason: answers[0]?.endReason } }]);
    expect(await finishJobs(session.id)).toHaveLength(1);
    expect(with_.told).toEqual([`ended ${session.id}`]);
    const sessions = (entries: { sessions: number }[]) => entries.reduce((sum, entry) => sum + entry.sessions, 0);
    expect(sessions(await ledger())).toBe(sessions(before) + 1);
  });

  test('may lie in the past: the leave of the person is when it ended', async () => {
    const session = await aSession();
    await session.joined('agent', 1);
    await session.joined('person', 10);
    await session.left('person', 100);
    const ended = await session.end('participant_left', deps(), at(100));
    expect(ended).toMatchObject({ endedAt: at(100), durationSeconds: 90, billedSeconds: 90 });
    const late = await rows(sql`select 1 from presence where session_id = ${session.id} and left_at > ${at(100)}`);
    expect(late).toEqual([]);
  });

  test('is never before the session was created, or before somebody joined it', async () => {
    const empty = await aSession();
    expect(await empty.end('never_joined', deps(), at(-60))).toMatchObject({ endedAt: at(0), durationSeconds: 0 });
    const joined = await aSession();
    await joined.joined('person', 50);
    expect(await joined.end('client_ended', deps(), at(20))).toMatchObject({
      startedAt: at(50),
      endedAt: at(50),
      durationSeconds: 0,
    });
  });

  test('of a session whose agent never came costs nothing', async () => {
    const session = await aSession();
    await session.joined('person', 10);
    expect(await session.end('agent_unavailable')).toMatchObject({ durationSeconds: 590, billedSeconds: 0 });
  });

  test('goes into the ledger of the day on which it ended, in UTC', async () => {
    const session = await aSession();
    await session.joined('agent', 0);
    await session.joined('person', 0);
    const of = async (day: string) =>
      (await ledger()).find((entry) => entry.day === day) ?? { sessions: 0, seconds: 0 };
    const before = await of('2026-03-01');
    await session.end('client_ended', deps(), at(59));
    expect(await of('2026-03-01')).toMatchObject({ sessions: before.sessions + 1, seconds: before.seconds + 59 });
  });

  test('moves the time of its deletion: what is kept is kept from the end on', async () => {
    const session = await aSession();
    await session.end();
    const [kept] = await rows<{ at: Date }>(sql`select delete_after as at from sessions where id = ${session.id}`);
    expect(kept?.at).toEqual(at(600 + 3_600));
  });

  test('leaves everything as it was when the job that follows from it cannot be written', async () => {
    const session = await aSession();
    await session.joined('agent', 1);
    await session.joined('person', 10);
    const before = await ledger();
    const with_ = deps();
    await store.admin.query(sql`alter schema graphile_worker rename to out_of_order`);
    try {
      await expect(session.end('client_ended', with_)).rejects.toThrow(/graphile_worker/);
    } finally {
      await store.admin.query(sql`alter schema out_of_order rename to graphile_worker`);
    }
    const [row] = await rows<{ status: string }>(sql`select status from sessions where id = ${session.id}`);
    expect(row?.status).toBe('running');
    expect(await endedEvents(session.id)).toEqual([]);
    expect(await ledger()).toEqual(before);
    expect([with_.told, with_.closed]).toEqual([[], []]);
    const open = await rows(sql`select 1 from presence where session_id = ${session.id} and left_at is null`);
    expect(open).toHaveLength(2);
    expect(await session.end()).toMatchObject({ endReason: 'client_ended' });
  });

  test("does nothing to another tenant's session, or to one that there is not", async () => {
    const session = await aSession();
    const request = { reason: 'client_ended', source: 'api' } as const;
    expect(await endSession(deps(), { ...request, tenant: strangers.tenant, session: session.id })).toBeUndefined();
    expect(await endSession(deps(), { ...request, tenant: owner.tenant, session: 'nothing' })).toBeUndefined();
    const [row] = await rows<{ status: string }>(sql`select status from sessions where id = ${session.id}`);
    expect(row?.status).toBe('created');
  });
});

describe('the room of a session that ends', () => {
  const closedBy = async (session: Awaited<ReturnType<typeof aSession>>) => {
    const with_ = deps();
    await session.end('client_ended', with_);
    return with_.closed;
  };

  test('is closed at once when no host is in it', async () => {
    const session = await aSession();
    await session.joined('person', 10);
    expect(await closedBy(session)).toEqual([session.room]);
  });

  test('is left to the host, which has a last word to say', async () => {
    const session = await aSession({ host: true });
    await session.joined('person', 10);
    expect(await closedBy(session)).toEqual([]);
  });

  test('is closed at once when there is nobody to say a last word to', async () => {
    const session = await aSession({ host: true });
    expect(await closedBy(session)).toEqual([session.room]);
  });

  test('that cannot be closed does not keep the session from ending', async () => {
    const session = await aSession();
    const broken = { ...deps(), rooms: { close: () => Promise.reject(new Error('the room server is away')) } };
    expect(await session.end('client_ended', broken)).toMatchObject({ status: 'ended' });
  });
});

describe('a session whose caller was told that there is no capacity', () => {
  const key = () => ({ scopeHash: randomBytes(32), bodyHash: randomBytes(32) });

  test('is ended, costs nothing, and its Idempotency-Key may be used again', async () => {
    const idempotency = key();
    const { session_id: id } = await insertSession(store.db, newSession(owner, { idempotency }));
    expect(await abandonSession(deps(new Date()), owner.tenant, id)).toBe(true);
    const [row] = await rows(sql`select status, end_reason, billed_seconds from sessions where id = ${id}`);
    expect(row).toEqual({ status: 'ended', end_reason: 'agent_unavailable', billed_seconds: 0 });
    expect((await insertSession(store.db, newSession(owner, { idempotency }))).result).toBe('cold');
  });

  test('stands when its agent came in that very moment', async () => {
    const idempotency = key();
    const { session_id: id } = await insertSession(store.db, newSession(owner, { idempotency }));
    await store.admin.query(sql`update sessions set agent_ready_at = now() where id = ${id}`);
    expect(await abandonSession(deps(new Date()), owner.tenant, id)).toBe(false);
    expect((await insertSession(store.db, newSession(owner, { idempotency }))).result).toBe('replayed');
  });
});

test('a host ends a session only under the lease that it was given: one that was taken over goes on', async () => {
  const session = await aSession({ host: true });
  await session.joined('person', 10);
  await store.admin.query(sql`update sessions set epoch = 2, host_id = gen_random_uuid() where id = ${session.id}`);
  const its = deps();
  const underEpoch = (epoch: number) =>
    endUnderLease(its, { tenant: owner.tenant, session: session.id, reason: 'agent_ended', source: 'agent', epoch });
  expect(await underEpoch(1)).toBe(false);
  expect(await rows(sql`select status, end_reason from sessions where id = ${session.id}`)).toEqual([
    { status: 'running', end_reason: null },
  ]);
  expect([await finishJobs(session.id), await endedEvents(session.id), its.told]).toEqual([[], [], []]);
  expect(await underEpoch(2)).toBe(true);
  expect(await rows(sql`select status, end_reason from sessions where id = ${session.id}`)).toEqual([
    { status: 'ended', end_reason: 'agent_ended' },
  ]);
});
