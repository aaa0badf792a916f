import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { agentVariablesIn } from '../../services/agent-files/definition/agent-variables.ts';
import { setAgentEnabled } from '../../services/core/agents/publish.ts';
import { insertSession } from '../../services/core/channels/new-session.ts';
import { makeVault } from '../../services/core/credentials/vault.ts';
import { finishSession } from '../../services/core/finish/finish.ts';
import { makeOutages } from '../../services/core/reaping/outages.ts';
import { reapDueSessions } from '../../services/core/reaping/reap.ts';
import { endSession } from '../../services/core/sessions/end.ts';
import { admitCall } from '../../services/core/telephony/admit-call.ts';
import { CallWatch } from '../../services/core/telephony/call-watch.ts';
import { systemClock } from '../../services/process/clock.ts';
import { sql } from '../../services/store/sql.ts';
import type { CallRow } from '../../services/store/tables/calls.ts';
import { listHostSpeech } from '../../services/store/tables/hosts.ts';
import { insertNumber } from '../../services/store/tables/numbers.ts';
import { locateStrayRooms } from '../../services/store/tables/sessions.ts';
import { insertTrunk } from '../../services/store/tables/trunks.ts';
import { type FakeHost, startFakeHost } from '../support/databases/fake-host.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../support/databases/migrated-database.ts';
import { join } from '../support/databases/stored-conversation.ts';
import { eventually } from '../support/eventually.ts';
import { compiledAgent, publish } from '../support/world/compiled-agent.ts';
import { masterKeys } from '../support/world/master-keys.ts';

const number = '+4930400001';
/** Closed for ever: whoever calls is told so. */
const told = '+4930400002';
const vault = makeVault(masterKeys);
const notifier = { tell: () => undefined };

let store: MigratedDatabase;
let tenant: string;
let host: FakeHost;
let closed: string[];

beforeAll(async () => {
  store = await startMigratedDatabase();
  ({ tenant } = await store.addTenant('called'));
  host = await startFakeHost(store.serviceUrl, { voiceCapacity: 100, abilities: ['voice:en', 'dictation'] });
  const agent = compiledAgent({ agent: 'desk', definition: { interactionMode: 'VOICE' } });
  await publish({ serviceUrl: store.serviceUrl, masterKeys, tenant }, [agent]);
  const id = randomUUID();
  await store.db.asTenant(tenant, async (tx) => {
    await insertTrunk(tx, tenant, {
      ...{ id, name: 'carrier', address: 'sip.example.com', transport: 'udp', managed_by: 'person' },
      ...{ auth_username: null, auth_password: null, allowed_addresses: ['203.0.113.7'], allowed_prefixes: [] },
      ...{ max_dials_per_minute: 0, max_calls_a_day: 0, max_minutes_a_day: 0 },
    });
    const rest = { language: null, hours: null, when_refused: 'busy', managed_by: 'person' } as const;
    await insertNumber(tx, tenant, { number, trunk_id: id, agent: 'desk', ...rest });
    const hours = { zone: 'Europe/Berlin', open: [] };
    await insertNumber(tx, tenant, {
      number: told,
      trunk_id: id,
      agent: 'desk',
      ...rest,
      hours,
      when_refused: 'sentence',
    });
  });
});

afterAll(async () => {
  await host?.[Symbol.asyncDispose]();
  await store?.[Symbol.asyncDispose]();
});

beforeEach(() => {
  closed = [];
});

/** A telephone rings in a room of its own. */
const ringing = (dialled = number) => ({
  ...{ room: `call_${dialled.slice(1)}_${randomUUID()}`, identity: 'caller' },
  ...{ sipCallId: randomUUID(), caller: '+491701234567' },
});

const deps = () => ({
  ...{ db: store.db, notifier, vault, clock: systemClock, hostsSpeech: () => listHostSpeech(store.db) },
  insertSession: insertSession.bind(undefined, store.db),
  rooms: { close: async (room: string) => void closed.push(room), participants: async () => [] },
});

/** Looks at rooms with a telephone in each. */
function watching(calls: readonly ReturnType<typeof ringing>[]): CallWatch {
  const leg = ({ identity, sipCallId }: ReturnType<typeof ringing>) => ({
    ...{ sid: 'PA_leg', identity, kind: 3 },
    attributes: { 'sip.callStatus': 'ringing', 'sip.callIDFull': sipCallId, 'parley.from': '<sip:+491701234567@x>' },
  });
  const rooms = {
    ...deps().rooms,
    list: async () => calls.map(({ room }) => ({ name: room, persons: 1, createdAt: new Date(), metadata: '' })),
    participants: async (room: string) => calls.filter((call) => call.room === room).map(leg) as never,
  };
  return new CallWatch({ ...deps(), rooms, onRefused: (_, code) => expect(code).toBeUndefined() });
}

const stored = (room: string) =>
  store.admin.query<CallRow & { sessions: number; end_reason: string | null }>(sql`
    select c.*, s.end_reason, (select count(*)::integer from sessions where room_name = ${room}) as sessions
    from calls c left join sessions s on s.id = c.session_id where c.room_name = ${room}`);

test('calls that are told of and listed in the same moment are claimed once each, and nobody is turned away', async () => {
  const calls = Array.from({ length: 12 }, ringing);
  const [one, other] = [watching(calls), watching(calls)];
  const told = calls.map((call) => admitCall(deps(), call));
  await Promise.all([one.look(), ...told, other.look(), ...calls.map((call) => admitCall(deps(), call))]);
  for (const { room, sipCallId } of calls)
    expect(await stored(room)).toMatchObject([{ sip_call_id: sipCallId, state: 'ringing', sessions: 1 }]);
  expect(closed).toEqual([]);
});

test('a call to a disabled agent is refused as busy, and its room goes', async () => {
  await setAgentEnabled({ db: store.db, notifier }, { tenant, agent: 'desk', enabled: false });
  const call = ringing();
  const refused = await admitCall(deps(), call).finally(() =>
    setAgentEnabled({ db: store.db, notifier }, { tenant, agent: 'desk', enabled: true }),
  );
  expect(refused).toBe('agent_disabled');
  const row = { state: 'refused', refused_because: 'agent_disabled', sip_code: 486, session_id: null };
  expect(await stored(call.room)).toMatchObject([row]);
  expect(closed).toEqual([call.room]);
});

test('a call that no agent has taken in time is refused, and its room goes, so that the caller hears that we are busy', async () => {
  const call = ringing();
  expect(await admitCall({ ...deps(), answersWithinMs: 1 }, call)).toBeUndefined();
  const reaping = { ...deps(), outages: makeOutages(() => 1e9), onFault: () => undefined };
  await eventually('its session is over', async () => {
    await reapDueSessions(reaping);
    const [row] = await stored(call.room);
    return row?.end_reason === 'agent_unavailable';
  });
  expect(await stored(call.room)).toMatchObject([{ state: 'refused', refused_because: 'agent_unavailable' }]);
  expect(closed).toEqual([call.room]);
});

describe('a number whose callers are told', () => {
  test('a host with the voice is asked once, and nobody is turned away once it is there', async () => {
    const call = ringing(told);
    const notices: string[] = [];
    const asked = {
      ...deps(),
      notifier: { tell: (channel: string, payload: string) => void notices.push(`${channel} ${payload}`) },
      rooms: {
        ...deps().rooms,
        participants: async () => (notices.length > 0 ? [{ identity: 'agent', sid: 'PA_agent' }] : []) as never,
      },
    };
    const refused = await Promise.all([admitCall(asked, call), admitCall(asked, call)]);
    expect(refused).toContain('closed');
    const row = await eventually('a host is asked', async () =>
      notices.length > 0 ? (await stored(call.room))[0] : undefined,
    );
    expect(notices).toEqual([`parley_refusal ${host.id} ${tenant} ${row.id}`]);
    expect(row).toMatchObject({ state: 'refused', refused_because: 'closed', sip_code: null, sessions: 0 });
    expect(closed).toEqual([]);
  });

  test('where no host has the voice they hear that we are busy', async () => {
    const call = ringing(told);
    const unable = sql`update hosts set abilities = '{}' where id = ${host.id}`;
    const able = sql`update hosts set abilities = array['voice:en', 'dictation'] where id = ${host.id}`;
    await store.admin.query(unable);
    await admitCall(deps(), call);
    await eventually('they are turned away', () => closed.length > 0).finally(() => store.admin.query(able));
    expect(closed).toEqual([call.room]);
    expect(await stored(call.room)).toMatchObject([{ state: 'refused', refused_because: 'closed', sip_code: 486 }]);
  });
});

describe('a call whose host was lost, and which no other takes over', () => {
  /** In the room until the room server misses it. */
  const lostHost = { identity: 'agent', sid: 'PA_lost' };

  /** Ends the session of a call that talks, and finishes it; gives what hosts were told, and the call. */
  async function leftAlone(): Promise<{ notices: string[]; call: CallRow }> {
    const call = ringing();
    await admitCall(deps(), call);
    const [row] = await stored(call.room);
    if (!row?.session_id) throw new Error('the call was refused');
    const { session_id: session } = row;
    await join({ db: store.db, tenant }, { id: session, room: call.room }, new Date(Date.now() - 60_000));
    await store.admin.query(sql`update sessions set host_id = null where id = ${session}`);
    const notices: string[] = [];
    const saying = () => notices.filter((notice) => notice.startsWith('parley_refusal'));
    const asked = {
      ...deps(),
      ...{ forAgents: agentVariablesIn({}) },
      notifier: { tell: (channel: string, payload: string) => void notices.push(`${channel} ${payload}`) },
      rooms: {
        ...deps().rooms,
        participants: async () => [saying().length > 0 ? { ...lostHost, sid: 'PA_other' } : lostHost] as never,
      },
    };
    await endSession(asked, { tenant, session, source: 'reaper', reason: 'agent_unavailable' });
    expect(closed).toEqual([]);
    await finishSession(asked, { tenant, session });
    return { notices: saying(), call: row };
  }

  test('is left to any host with the voice, which says so and hangs up', async () => {
    const { notices, call } = await leftAlone();
    expect(notices).toEqual([`parley_refusal ${host.id} ${tenant} ${call.id}`]);
    expect(closed).toEqual([]);
    expect(await stored(call.room_name)).toMatchObject([{ state: 'ended', end_reason: 'agent_unavailable' }]);
  });

  test('keeps its room until that host must have said it, and no longer', async () => {
    const { call } = await leftAlone();
    const stray = () => locateStrayRooms(store.db, [call.room_name, 'nobodys']);
    expect(await stray()).toEqual(['nobodys']);
    await store.admin.query(
      sql`update sessions set ended_at = ended_at - interval '30 seconds' where id = ${call.session_id}`,
    );
    expect((await stray()).toSorted()).toEqual([call.room_name, 'nobodys'].toSorted());
  });

  test('is hung up on where no host has the voice', async () => {
    await store.admin.query(sql`update hosts set draining = true where id = ${host.id}`);
    const able = sql`update hosts set draining = false where id = ${host.id}`;
    const { notices, call } = await leftAlone().finally(() => store.admin.query(able));
    expect(notices).toEqual([]);
    expect(closed).toEqual([call.room_name]);
  });
});
