import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { setAgentEnabled } from '../../services/core/agents/publish.ts';
import { insertSession } from '../../services/core/channels/new-session.ts';
import { makeVault } from '../../services/core/credentials/vault.ts';
import { makeOutages } from '../../services/core/reaping/outages.ts';
import { reapDueSessions } from '../../services/core/reaping/reap.ts';
import { admitCall } from '../../services/core/telephony/admit-call.ts';
import { CallWatch } from '../../services/core/telephony/call-watch.ts';
import { systemClock } from '../../services/process/clock.ts';
import { sql } from '../../services/store/sql.ts';
import type { CallRow } from '../../services/store/tables/calls.ts';
import { listHostSpeech } from '../../services/store/tables/hosts.ts';
import { insertNumber } from '../../services/store/tables/numbers.ts';
import { insertTrunk } from '../../services/store/tables/trunks.ts';
import { startFakeHost } from '../support/databases/fake-host.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../support/databases/migrated-database.ts';
import { eventually } from '../support/eventually.ts';
import { compiledAgent, publish } from '../support/world/compiled-agent.ts';
import { masterKeys } from '../support/world/master-keys.ts';

const number = '+4930400001';
const vault = makeVault(masterKeys);
const notifier = { tell: () => undefined };

let store: MigratedDatabase;
let tenant: string;
let host: AsyncDisposable;
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
const ringing = () => ({
  ...{ room: `call_${number.slice(1)}_${randomUUID()}`, identity: 'caller' },
  ...{ sipCallId: randomUUID(), caller: '+491701234567' },
});

const deps = () => ({
  ...{ db: store.db, notifier, vault, clock: systemClock, hostsSpeech: () => listHostSpeech(store.db) },
  insertSession: insertSession.bind(undefined, store.db),
  rooms: { close: async (room: string) => void closed.push(room) },
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
