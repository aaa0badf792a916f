import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AgentSettings, VisitorCaps } from '../../services/agent-files/definition/compiled.ts';
import {
  insertSession,
  insertSessions,
  type NewSession,
  type Visitor,
} from '../../services/core/channels/new-session.ts';
import { tellOfReachedCaps } from '../../services/core/reaping/caps.ts';
import { endSession } from '../../services/core/sessions/end.ts';
import { makeNotifier } from '../../services/store/notify.ts';
import { sql } from '../../services/store/sql.ts';
import { type CreateResult, forgetExpired, takeSpokenPlace } from '../../services/store/tables/sessions.ts';
import { startToolCall, ToolCallsUsedUp } from '../../services/store/tables/tool-calls.ts';
import { startFakeHost } from '../support/databases/fake-host.ts';
import { type MigratedDatabase, newSession, startMigratedDatabase } from '../support/databases/migrated-database.ts';
import { eventually } from '../support/eventually.ts';

let store: MigratedDatabase;
let tenants = 0;

beforeAll(async () => {
  store = await startMigratedDatabase({ connections: 24 });
});

afterAll(async () => {
  await store?.[Symbol.asyncDispose]();
});

const plenty: VisitorCaps = { sessions: 1_000, spokenSessions: 1_000, minutesPerDay: 1_000, toolCallsPerDay: 1_000 };

/** Each test has a tenant of its own, so that no count is shared. */
async function aTenant(caps: Partial<AgentSettings['caps']>) {
  tenants += 1;
  const owner = await store.addTenant(`visited-${tenants}`);
  await store.admin.query(sql`
    update agents set settings = jsonb_set(settings, '{caps}', settings->'caps' || ${JSON.stringify(caps)}::jsonb)
    where tenant_id = ${owner.tenant}`);
  return {
    ...owner,
    create: (fields: Partial<NewSession> = {}) => insertSession(store.db, newSession(owner, fields)),
    end: (session: string) =>
      endSession(
        { db: store.db, notifier: makeNotifier(store.db), rooms: { close: async () => undefined } },
        { tenant: owner.tenant, session, reason: 'client_ended', source: 'test' },
      ),
  };
}

const visitor = (kind: Visitor['kind'] = 'visitor'): Visitor => ({ id: randomBytes(32), kind });

const many = (count: number, create: (index: number) => Promise<CreateResult>) =>
  Promise.all(Array.from({ length: count }, (_, index) => create(index)));

function tally(results: readonly CreateResult[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { result } of results) counts[result] = (counts[result] ?? 0) + 1;
  return counts;
}

/** The person joined so long ago and is there. */
const joined = (id: string, minutesAgo = 0) =>
  store.admin.query(sql`
    with s as (
      update sessions set status = 'running', started_at = clock_timestamp() - ${minutesAgo} * interval '1 minute' where id = ${id} returning *
    ), p as (
      insert into presence (tenant_id, session_id, participant_sid, identity, role, joined_at, joined_by, last_seen_at)
      select tenant_id, id, 'agent' || id, 'agent', 'agent', started_at, 'test', clock_timestamp() from s
    )
    insert into presence (tenant_id, session_id, participant_sid, identity, role, joined_at, joined_by, last_seen_at)
    select tenant_id, id, id, 'person', 'person', started_at, 'test', clock_timestamp() from s`);

describe('the conversations of one visitor', () => {
  test('are as many as the agent allows, however many are asked for at once, and no others count', async () => {
    const { create, end } = await aTenant({ visitor: { ...plenty, sessions: 3 }, unsigned: plenty });
    const mine = { visitor: visitor() };
    const results = await many(20, () => create(mine));
    expect(tally(results)).toEqual({ cold: 3, visitor_limit: 17 });
    expect((await create({ visitor: visitor() })).result).toBe('cold');
    expect((await create({ visitor: visitor('unsigned') })).result).toBe('cold');
    expect((await create()).result).toBe('cold');
    await end(results.find(({ result }) => result === 'cold')?.session_id ?? '');
    expect((await create(mine)).result).toBe('cold');
  });

  test('are counted in one statement of many', async () => {
    const owner = await aTenant({ visitor: { ...plenty, sessions: 2 }, unsigned: { ...plenty, sessions: 1 } });
    const [mine, shared] = [visitor(), visitor('unsigned')];
    const asked = [mine, shared, mine, shared, mine, null].map((one) => newSession(owner, { visitor: one }));
    expect((await insertSessions(store.db, asked)).map(({ result }) => result)).toEqual([
      'cold',
      'cold',
      'cold',
      'visitor_limit',
      'visitor_limit',
      'cold',
    ]);
  });

  test('that are spoken have a smaller cap, which holds too when a written one becomes spoken', async () => {
    const { tenant, create } = await aTenant({ visitor: { ...plenty, sessions: 4, spokenSessions: 1 } });
    await using _host = await startFakeHost(store.serviceUrl, { warmRooms: 9, voiceCapacity: 9 });
    const mine = { visitor: visitor(), warm: true };
    const written = await create(mine);
    const speak = (id: string) => takeSpokenPlace(store.db, { tenant, session: id, epoch: 1, needs: [] });
    expect((await create({ ...mine, mode: 'VOICE' })).result).toBe('warm');
    expect((await create({ ...mine, mode: 'VOICE' })).result).toBe('visitor_limit');
    expect(await speak(written.session_id)).toBe(false);
    expect(await speak((await create({ visitor: visitor(), warm: true })).session_id)).toBe(true);
    expect((await create(mine)).result).toBe('warm');
  });

  test('have minutes for the day, and end when those are used up', async () => {
    const { create, end } = await aTenant({ visitor: { ...plenty, minutesPerDay: 10 } });
    const [mine, other] = [{ visitor: visitor() }, { visitor: visitor() }];
    const [first, second, theirs] = [await create(mine), await create(mine), await create(other)];
    await joined(first.session_id, 6);
    expect((await end(first.session_id))?.billedSeconds).toBeGreaterThanOrEqual(360);
    expect((await create(mine)).result).toBe('cold');
    await joined(second.session_id, 5);
    await joined(theirs.session_id, 5);
    await tellOfReachedCaps({ db: store.db, notifier: makeNotifier(store.db) });
    const told = (id: string) =>
      store.admin.query(sql`select limit_reached_at is not null as told from sessions where id = ${id}`);
    expect([await told(second.session_id), await told(theirs.session_id)]).toEqual([
      [{ told: true }],
      [{ told: false }],
    ]);
    await end(second.session_id);
    expect([(await create(mine)).result, (await create(other)).result]).toEqual(['visitor_limit', 'cold']);
  });
});

test("an agent's minutes of the day end what runs", async () => {
  const { tenant, create } = await aTenant({ minutesPerDay: 3 });
  const { session_id } = await create();
  await joined(session_id, 2);
  await store.admin.query(sql`
    insert into agent_usage (tenant_id, agent, day, billed_seconds) values (${tenant}, 'desk', (now() at time zone 'UTC')::date, 59)`);
  const told = async () => {
    await tellOfReachedCaps({ db: store.db, notifier: makeNotifier(store.db) });
    const rows = await store.admin.query(
      sql`select 1 from sessions where id = ${session_id} and limit_reached_at is not null`,
    );
    return rows.length > 0;
  };
  await eventually('it is told', told);
});

describe('tool calls of a day', () => {
  let ordinal = 0;

  async function calls(tenant: string, session: string, count: number, name = 'find'): Promise<string[]> {
    const outcomes: string[] = [];
    for (let call = 1; call <= count; call += 1) {
      ordinal += 1;
      const asked = { tenant, session, epoch: 0, turn: 1, ordinal, id: randomUUID(), name, arguments: {} };
      outcomes.push(
        await startToolCall(store.db, asked).then(
          (sequence) => (sequence === null ? 'stale' : 'begun'),
          (error: unknown) => (error instanceof ToolCallsUsedUp ? 'used up' : String(error)),
        ),
      );
    }
    return outcomes;
  }

  test('are as many as a visitor may make in all sessions together', async () => {
    const { tenant, create } = await aTenant({ visitor: { ...plenty, toolCallsPerDay: 3 }, toolCallsPerDay: 100 });
    const mine = { visitor: visitor() };
    const [first, second, another] = [await create(mine), await create(mine), await create({ visitor: visitor() })];
    expect(await calls(tenant, first.session_id, 2)).toEqual(['begun', 'begun']);
    expect(await calls(tenant, second.session_id, 2)).toEqual(['begun', 'used up']);
    expect(await calls(tenant, another.session_id, 1)).toEqual(['begun']);
  });

  test('are as many as the agent may make, whoever talks with it', async () => {
    const { tenant, create } = await aTenant({ toolCallsPerDay: 2 });
    expect(await calls(tenant, (await create()).session_id, 1)).toEqual(['begun']);
    expect(await calls(tenant, (await create({ visitor: visitor() })).session_id, 2)).toEqual(['begun', 'used up']);
  });

  test('of built-in tools do not count: a conversation can always be ended', async () => {
    const { tenant, create } = await aTenant({ toolCallsPerDay: 1 });
    const { session_id } = await create();
    expect(await calls(tenant, session_id, 2, 'end_call')).toEqual(['begun', 'begun']);
    expect(await calls(tenant, session_id, 2)).toEqual(['begun', 'used up']);
  });

  test('are none at all where the agent allows none', async () => {
    const { tenant, create } = await aTenant({ visitor: { ...plenty, toolCallsPerDay: 0 } });
    expect(await calls(tenant, (await create({ visitor: visitor() })).session_id, 1)).toEqual(['used up']);
  });

  test('of the services of the release before do not count, and are not refused', async () => {
    const { tenant, create } = await aTenant({ toolCallsPerDay: 0 });
    const { session_id } = await create();
    const [row] = await store.db.query<{ sequence: number }>(sql`
      select start_tool_call(${tenant}, ${session_id}, 0, 1, 1, ${randomUUID()}, 'find', '{}') as sequence`);
    expect(row?.sequence).toBeGreaterThan(0);
  });
});

test('what visitors used is forgotten after two days', async () => {
  const { tenant } = await aTenant({});
  const [today, old] = [randomBytes(32), randomBytes(32)];
  await store.admin.query(sql`
    insert into visitor_usage (tenant_id, visitor, day) values
      (${tenant}, ${today}, (now() at time zone 'UTC')::date), (${tenant}, ${old}, (now() at time zone 'UTC')::date - 2)`);
  await forgetExpired(store.db);
  const rows = await store.admin.query<{ visitor: Buffer }>(
    sql`select visitor from visitor_usage where tenant_id = ${tenant}`,
  );
  expect(rows.map((row) => row.visitor.equals(today))).toEqual([true]);
});

describe('the share of the fleet that an agent may take', () => {
  test('is kept while others could come, of all places and of the spoken ones', async () => {
    const { create } = await aTenant({ fleetShare: 75 });
    const another = await aTenant({});
    await using host = await startFakeHost(store.serviceUrl, { warmRooms: 12, capacity: 8, voiceCapacity: 4 });
    const spoken = { mode: 'VOICE' as const, warm: true };
    expect(tally(await many(6, () => create(spoken)))).toEqual({ warm: 3, concurrency_limit: 3 });
    expect((await another.create(spoken)).host_id).toBe(host.id);
    expect(tally(await many(6, () => create({ warm: true })))).toEqual({ warm: 3, concurrency_limit: 3 });
    expect((await another.create({ warm: true })).result).toBe('warm');
  });

  test('holds for a written conversation that wants to be spoken', async () => {
    const { tenant, create } = await aTenant({ fleetShare: 50 });
    await aTenant({});
    await using _host = await startFakeHost(store.serviceUrl, { warmRooms: 9, voiceCapacity: 2 });
    const { session_id } = await create({ warm: true });
    const speak = () => takeSpokenPlace(store.db, { tenant, session: session_id, epoch: 1, needs: [] });
    expect(await speak()).toBe(true);
    expect(await speak()).toBe(true);
    expect((await create({ warm: true, mode: 'VOICE' })).result).toBe('concurrency_limit');
  });

  test('is all of it for the only one there is', async () => {
    const { tenant, create } = await aTenant({ fleetShare: 50 });
    await store.admin.query(sql`update tenants set caps = '{"fleetShare": 50}' where id = ${tenant}`);
    await store.admin.query(sql`update agents set disabled_at = now() where tenant_id <> ${tenant}`);
    await using _host = await startFakeHost(store.serviceUrl, { warmRooms: 9, capacity: 4 });
    expect(tally(await many(5, () => create({ warm: true })))).toEqual({ warm: 5 });
    await store.admin.query(sql`update agents set disabled_at = null`);
  });

  test("is bounded by the tenant's, over all its agents", async () => {
    const { tenant, create } = await aTenant({});
    await aTenant({});
    await store.admin.query(sql`update tenants set caps = '{"fleetShare": 50}' where id = ${tenant}`);
    await using _host = await startFakeHost(store.serviceUrl, { warmRooms: 9, capacity: 4, voiceCapacity: 2 });
    expect((await create({ warm: true, mode: 'VOICE' })).result).toBe('warm');
    expect((await create({ warm: true, mode: 'VOICE' })).result).toBe('concurrency_limit');
    expect(tally(await many(3, () => create({ warm: true })))).toEqual({ warm: 1, concurrency_limit: 2 });
  });
});
