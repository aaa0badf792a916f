import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Phone } from '../../services/contract/generated/agent.ts';
import type { Acting } from '../../services/core/account/acting.ts';
import { insertSession } from '../../services/core/channels/new-session.ts';
import { makeVault } from '../../services/core/credentials/vault.ts';
import { reportJoined } from '../../services/core/presence/presence.ts';
import { optIn, optOut } from '../../services/core/telephony/opt-outs.ts';
import { askForCall } from '../../services/core/telephony/outbound/ask.ts';
import { cancelCall } from '../../services/core/telephony/outbound/cancel.ts';
import type { Dial, Dialled } from '../../services/core/telephony/outbound/dialler.ts';
import { CallFollower } from '../../services/core/telephony/outbound/follow.ts';
import { dialPrepared, type PlaceDeps, prepareCall } from '../../services/core/telephony/outbound/place.ts';
import { sql } from '../../services/store/sql.ts';
import type { CallRow } from '../../services/store/tables/calls.ts';
import { insertNumber } from '../../services/store/tables/numbers.ts';
import { insertTrunk, type NewTrunk } from '../../services/store/tables/trunks.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../support/databases/migrated-database.ts';
import { compiledAgent, publish } from '../support/world/compiled-agent.ts';
import { masterKeys } from '../support/world/master-keys.ts';

const vault = makeVault(masterKeys);
const to = '+491701234567';
/** A Monday, 12:00 in Berlin. */
const noon = new Date('2026-11-23T11:00:00.000Z');
const weekdays = [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '20:00' }] as const;

let store: MigratedDatabase;
let tenant: string;
/** How far the clock of whoever looks is ahead. */
let aheadMs: number;
let dials: Dial[];
let closed: string[];
/** Who is in rooms, by the room server. */
let legs: Map<string, { status: string }>;

beforeAll(async () => {
  store = await startMigratedDatabase();
  ({ tenant } = await store.addTenant('calling'));
});

afterAll(async () => {
  await store?.[Symbol.asyncDispose]();
});

beforeEach(() => {
  aheadMs = 0;
  [dials, closed, legs] = [[], [], new Map()];
});

const clock = { now: () => new Date(Date.now() + aheadMs) };
const acting = (): Acting => ({
  ...{ tenant, role: 'editor', person: randomUUID(), requestId: 'r' },
  request: { scopeHash: Buffer.from(randomUUID()), bodyHash: Buffer.from('body') },
});

const outbound = (fields: Partial<NonNullable<Phone['outbound']>> = {}): Phone => ({
  outbound: {
    consent: 'not-required',
    hours: weekdays.map((span) => ({ ...span, days: [...span.days] })),
    variables: {},
    ...fields,
  },
});

/** An agent that may call, and a number by a trunk that lets everything through. Gives the number. */
async function opened({
  trunk = {},
  phone = outbound(),
}: {
  trunk?: Partial<NewTrunk>;
  phone?: Phone | undefined;
} = {}) {
  const agent = compiledAgent({ agent: 'calling', settings: phone ? { phone } : {} });
  await publish({ serviceUrl: store.serviceUrl, masterKeys, tenant }, [agent]);
  const number = `+4930${String(Math.random()).slice(2, 10)}`;
  await store.db.asTenant(tenant, async (tx) => {
    const id = randomUUID();
    await insertTrunk(tx, tenant, {
      ...{ id, name: `carrier ${id}`, address: 'sip.example.com', transport: 'udp', managed_by: 'person' },
      ...{
        auth_username: null,
        auth_password: null,
        allowed_addresses: ['203.0.113.7'],
        allowed_prefixes: ['+49', '+1'],
      },
      ...{ max_dials_per_minute: 100, max_calls_a_day: 100, max_minutes_a_day: 10_000, ...trunk },
    });
    const rest = { agent: 'calling', language: null, hours: null, when_refused: 'busy', managed_by: 'person' } as const;
    await insertNumber(tx, tenant, { number, trunk_id: id, ...rest });
  });
  return number;
}

const ask = (from: string, fields: object = {}, at = noon) =>
  askForCall({ db: store.db, vault, clock: { now: () => at } }, acting(), { from, to, ...fields });

const callNow = async (from: string) => (await ask(from)).call.id;

const stored = async (id: string): Promise<CallRow & { end_reason: string | null; started_at: Date | null }> => {
  const [row] = await store.admin.query<CallRow & { end_reason: string | null; started_at: Date | null }>(sql`
    select c.*, s.end_reason, s.started_at from calls c left join sessions s on s.id = c.session_id where c.id = ${id}`);
  if (!row) throw new Error('no such call');
  return row;
};

const rooms = {
  close: async (room: string) => {
    closed.push(room);
    legs.delete(room);
  },
  participants: async (room: string) => {
    const leg = legs.get(room);
    const one = { sid: 'PA_leg', identity: 'person', kind: 3, attributes: { 'sip.callStatus': leg?.status ?? '' } };
    return (leg ? [one] : []) as never;
  },
};
const notifier = { tell: () => undefined };

/** What a worker places calls with; the agent of a session is in its room at once. */
const placing = (dial: (asked: Dial) => Promise<Dialled>) => ({
  ...{ db: store.db, notifier, rooms, vault, clock, forAgents: { declared: {} } },
  hostsSpeech: async () => [],
  insertSession: async (session: Parameters<typeof insertSession>[1]) => {
    const made = await insertSession(store.db, session);
    await store.admin.query(
      sql`update sessions set agent_ready_at = now(), unattended_since = null where id = ${made.session_id}`,
    );
    return made;
  },
  dialler: {
    dial: (asked: Dial) => {
      dials.push(asked);
      return dial(asked);
    },
  },
});

async function placeWith(deps: PlaceDeps, call: string): Promise<string> {
  const prepared = await prepareCall(deps, { tenant, call });
  return typeof prepared === 'string' ? prepared : dialPrepared(deps, prepared);
}
const place = (call: string, dial: (asked: Dial) => Promise<Dialled>) => placeWith(placing(dial), call);
const busy = async (): Promise<Dialled> => ({ result: 'refused', sipCode: 486 });
/** The worker is gone in this moment, and its request with it. */
const killed = async (): Promise<Dialled> => {
  throw new Error('killed');
};

const look = () =>
  new CallFollower({
    ...{ db: store.db, notifier, rooms, clock },
    onFault: (_, error) => {
      throw error;
    },
  }).look();

describe('every door is closed by default', () => {
  test.each<[string, Parameters<typeof opened>[0], object, string]>([
    ['an agent whose file says nothing of calls', { phone: {} }, {}, 'outbound_not_allowed'],
    ['a trunk that permits no prefix', { trunk: { allowed_prefixes: [] } }, {}, 'prefix_not_allowed'],
    ['another country', {}, { to: '+33123456789' }, 'prefix_not_allowed'],
    ['a trunk that dials nothing', { trunk: { max_dials_per_minute: 0 } }, {}, 'dial_rate_limit'],
    ['no calls a day', { trunk: { max_calls_a_day: 0 } }, {}, 'daily_call_limit'],
    ['no minutes a day', { trunk: { max_minutes_a_day: 0 } }, {}, 'daily_minute_limit'],
    ['no ground to call', { phone: outbound({ consent: 'required' }) }, {}, 'consent_missing'],
    ['a country with several clocks', {}, { to: '+12025550123' }, 'time_zone_needed'],
    ['a zone that is none', {}, { timeZone: 'Mars/Olympus' }, 'invalid_request'],
    ['a language that it does not speak', {}, { language: 'tlh' }, 'language_not_configured'],
    ['a variable that nobody declared', {}, { variables: { guest: 'Ada' } }, 'invalid_request'],
    [
      'a variable that it needs',
      { phone: outbound({ variables: { guest: { description: 'Who.', required: true } } }) },
      {},
      'invalid_request',
    ],
  ])('%s', async (_, doors, fields, code) => {
    const from = await opened(doors);
    await expect(ask(from, fields)).rejects.toMatchObject({ code });
    expect(await store.admin.query(sql`select 1 from calls where number = ${from}`)).toEqual([]);
  });

  test('a number of another tenant', async () => {
    const from = await opened();
    const { tenant: other } = await store.addTenant('other');
    const asked = askForCall({ db: store.db, vault, clock }, { ...acting(), tenant: other }, { from, to });
    await expect(asked).rejects.toMatchObject({ code: 'number_not_found' });
  });

  test.each([
    ['before nine, where the person is', '2026-11-23T07:59:00Z', {}],
    ['after eight in the evening', '2026-11-23T19:00:00Z', {}],
    ['on Sunday', '2026-11-22T11:00:00Z', {}],
    [
      'at noon here, which is six in the morning there',
      noon.toISOString(),
      { to: '+12025550123', timeZone: 'America/New_York' },
    ],
  ])('%s', async (_, at, fields) => {
    const from = await opened();
    await expect(ask(from, fields, new Date(at))).rejects.toMatchObject({ code: 'outside_calling_hours' });
  });

  test('who asked not to be called, until it is taken back; nobody reads their number in the table', async () => {
    const from = await opened();
    await optOut({ db: store.db, vault }, acting(), { number: to });
    await expect(ask(from)).rejects.toMatchObject({ code: 'opted_out' });
    const rows = await store.admin.query(sql`select t::text as text from opt_outs t where tenant_id = ${tenant}`);
    expect(JSON.stringify(rows)).not.toContain(to.slice(1));
    await optIn({ db: store.db, vault }, acting(), to);
    expect((await ask(from)).call.state).toBe('queued');
  });

  test('the last call of a minute, and the last minutes of a day, go to one of many who ask at once', async () => {
    const from = await opened({ trunk: { max_dials_per_minute: 1 } });
    const asked = await Promise.allSettled(Array.from({ length: 8 }, () => ask(from)));
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('minutes are kept for calls that go on, given back when nobody answered, and bound how long a call may last', async () => {
    const from = await opened({ trunk: { max_minutes_a_day: 7 } });
    const id = await callNow(from);
    expect((await stored(id)).max_seconds).toBeLessThanOrEqual(7 * 60);
    await expect(ask(from)).rejects.toMatchObject({ code: 'daily_minute_limit' });
    await place(id, busy);
    expect((await ask(from)).call.state).toBe('queued');
  });
});

test('a call is stored sealed, with the room that follows from it, before anything is dialled', async () => {
  const id = await callNow(await opened());
  const row = await stored(id);
  expect(row).toMatchObject({ state: 'queued', direction: 'outbound', session_id: null });
  const texts = await store.admin.query(sql`select c::text as text from calls c where id = ${id}`);
  expect(JSON.stringify(texts)).not.toContain(to.slice(1));
  await place(id, async (asked) => {
    expect(asked).toMatchObject({ room: row.room_name, to });
    expect(await stored(id)).toMatchObject({ state: 'dialing', session_id: expect.any(String) });
    return busy();
  });
});

test.each<[Dialled, string, number | null]>([
  [{ result: 'refused', sipCode: 486 }, 'busy', 486],
  [{ result: 'refused', sipCode: 603 }, 'declined', 603],
  [{ result: 'refused', sipCode: 404 }, 'invalid_number', 404],
  [{ result: 'refused', sipCode: 503 }, 'unreachable', 503],
  [{ result: 'gave_up' }, 'no_answer', null],
  [{ result: 'unreachable' }, 'unreachable', null],
])('%o: the call is over, with its session and its room', async (dialled, state, code) => {
  const id = await callNow(await opened());
  expect(await place(id, async () => dialled)).toBe('not_answered');
  const row = await stored(id);
  expect(row).toMatchObject({ state, sip_code: code, answered_at: null, end_reason: 'call_ended', started_at: null });
  expect(closed).toContain(row.room_name);
});

describe('whoever places a call dies', () => {
  test('before it dials: the next one dials, once, in the same session', async () => {
    const id = await callNow(await opened());
    const dying = {
      ...placing(busy),
      vault: {
        ...vault,
        open: () => {
          throw new Error('killed');
        },
      },
    };
    await expect(placeWith(dying, id)).rejects.toThrow('killed');
    const { session_id } = await stored(id);
    expect(await place(id, busy)).toBe('not_answered');
    expect([(await stored(id)).session_id, dials.length]).toEqual([session_id, 1]);
  });

  test('in the moment in which it dials: it is never dialled again, and nobody knows what became of it', async () => {
    const id = await callNow(await opened());
    await expect(place(id, killed)).rejects.toThrow('killed');
    expect(await place(id, busy)).toBe('nothing_to_do');
    await look();
    expect((await stored(id)).state).toBe('dialing');
    aheadMs = 86_000;
    await look();
    const row = await stored(id);
    expect(row).toMatchObject({ state: 'unknown', sip_code: null, end_reason: 'call_ended' });
    expect(closed, 'so that a leg which comes late finds no room').toContain(row.room_name);
    expect(dials).toHaveLength(1);
  });

  test('while it rings: the telephone in the room goes on, is answered, and hangs up', async () => {
    const id = await callNow(await opened());
    await expect(place(id, killed)).rejects.toThrow('killed');
    const { room_name: room } = await stored(id);
    legs.set(room, { status: 'ringing' });
    await look();
    expect((await stored(id)).state).toBe('ringing');
    legs.set(room, { status: 'active' });
    await look();
    expect(await stored(id)).toMatchObject({ state: 'answered', answered_at: expect.any(Date) });
    const seen = { room, sid: 'PA_leg', identity: 'person', role: 'person', source: 'host', at: new Date() } as const;
    await reportJoined({ db: store.db, notifier }, seen);
    legs.clear();
    const follower = new CallFollower({ db: store.db, notifier, rooms, clock, onFault: () => undefined });
    await follower.look();
    expect((await stored(id)).state).toBe('answered');
    await follower.look();
    expect(await stored(id)).toMatchObject({ state: 'ended', end_reason: 'call_ended', hung_up_by: 'person' });
    expect(dials).toHaveLength(1);
  });

  test('and the bridge, too: a telephone that never stops ringing is given up by our own time', async () => {
    const id = await callNow(await opened());
    await expect(place(id, killed)).rejects.toThrow('killed');
    legs.set((await stored(id)).room_name, { status: 'ringing' });
    aheadMs = 86_000;
    await look();
    expect((await stored(id)).state).toBe('no_answer');
  });

  test('and nobody takes its place for minutes: the call is not made, since nobody expects it any more', async () => {
    const id = await callNow(await opened());
    aheadMs = 130_000;
    expect(await place(id, busy)).toBe('refused');
    expect(await stored(id)).toMatchObject({ state: 'refused', refused_because: 'expired' });
    expect(dials).toEqual([]);
  });
});

test('a call whose trunk is gone is over as soon as it is taken up, and says so', async () => {
  const from = await opened();
  const id = await callNow(from);
  await store.admin.query(sql`delete from numbers where number = ${from}`);
  await store.admin.query(sql`delete from trunks t using calls c where c.id = ${id} and t.id = c.trunk_id`);
  expect(await place(id, busy)).toBe('refused');
  const row = await stored(id);
  expect(row).toMatchObject({ state: 'refused', refused_because: 'trunk_not_found', session_id: null });
  expect(row.ended_at).toBeInstanceOf(Date);
  expect(dials).toEqual([]);
});

test('two workers that take up the same call dial once', async () => {
  const id = await callNow(await opened());
  const results = await Promise.all([place(id, busy), place(id, busy), place(id, busy)]);
  expect(results.toSorted()).toEqual(['not_answered', 'nothing_to_do', 'nothing_to_do']);
  expect(dials).toHaveLength(1);
});

describe('a call is cancelled', () => {
  const cancel = (id: string) => cancelCall({ db: store.db, vault, rooms, notifier }, acting(), id);

  test('before it is dialled: it never is', async () => {
    const id = await callNow(await opened());
    expect((await cancel(id)).state).toBe('canceled');
    expect(await place(id, busy)).toBe('nothing_to_do');
    expect(dials).toEqual([]);
  });

  test('in the moment in which somebody answers: they are hung up on, and it stays cancelled', async () => {
    const id = await callNow(await opened());
    await place(id, async () => {
      await cancel(id);
      return { result: 'answered', sipCallId: 'SCL_1' };
    });
    const row = await stored(id);
    expect(row).toMatchObject({ state: 'canceled', answered_at: null, end_reason: 'dashboard_ended' });
    expect(closed.filter((room) => room === row.room_name).length).toBeGreaterThanOrEqual(2);
  });

  test('once it was answered it is not, and the call goes on', async () => {
    const id = await callNow(await opened());
    await place(id, async () => ({ result: 'answered', sipCallId: 'SCL_2' }));
    await expect(cancel(id)).rejects.toMatchObject({ code: 'call_answered' });
    expect((await stored(id)).state).toBe('answered');
  });
});

test('an answered call that lasts as long as it may is ended, by the limit', async () => {
  const id = await callNow(await opened({ trunk: { max_minutes_a_day: 1 } }));
  await place(id, async () => ({ result: 'answered', sipCallId: 'SCL_3' }));
  legs.set((await stored(id)).room_name, { status: 'active' });
  await look();
  expect((await stored(id)).state).toBe('answered');
  aheadMs = 61_000;
  await look();
  expect(await stored(id)).toMatchObject({ state: 'ended', hung_up_by: 'limit', end_reason: 'max_duration' });
});
