import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SpeechNeeds } from '../../services/agent-files/definition/speech-needs.ts';
import { insertSession, insertSessions, type NewSession } from '../../services/core/channels/new-session.ts';
import { sql } from '../../services/store/sql.ts';
import {
  acknowledgeAssigned,
  assignWarmRooms,
  claimSessions,
  closeVoicePlaces,
  hostWork,
  openVoicePlace,
} from '../../services/store/tables/hosts.ts';
import { takeSpokenPlace } from '../../services/store/tables/sessions.ts';
import { type FakeHost, type FakeHostOptions, startFakeHost } from '../support/databases/fake-host.ts';
import { type MigratedDatabase, newSession, startMigratedDatabase } from '../support/databases/migrated-database.ts';
import { eventually } from '../support/eventually.ts';

let store: MigratedDatabase;
let hosts: FakeHost[] = [];
let tenants = 0;
let create: (fields?: Partial<NewSession>) => ReturnType<typeof insertSession>;

beforeAll(async () => {
  store = await startMigratedDatabase({ connections: 24 });
});

afterAll(async () => {
  await store?.[Symbol.asyncDispose]();
});

beforeEach(async () => {
  tenants += 1;
  const owner = await store.addTenant(`tenant-${tenants}`);
  create = (fields = {}) => insertSession(store.db, newSession(owner, { mode: 'VOICE', warm: true, ...fields }));
});

afterEach(async () => {
  await Promise.all(hosts.map((host) => host[Symbol.asyncDispose]()));
  hosts = [];
  await store.admin.query({
    text: `update sessions set status = 'ended', end_reason = 'client_ended', ended_at = now() where status <> 'ended'`,
    values: [],
  });
});

async function host(options: FakeHostOptions): Promise<FakeHost> {
  const started = await startFakeHost(store.serviceUrl, options);
  hosts.push(started);
  return started;
}

const results = async (count: number) =>
  (await Promise.all(Array.from({ length: count }, () => create()))).map(({ result }) => result).sort();

describe('a spoken session', () => {
  test('is refused for good where no host can speak, and a written one is not', async () => {
    await host({ warmRooms: 2 });
    expect((await create()).result).toBe('voice_unavailable');
    expect((await create({ mode: 'TEXT' })).result).toBe('warm');
  });

  test('gets a warm room of a host that can speak', async () => {
    await host({ warmRooms: 3 });
    const speaking = await host({ warmRooms: 1, voiceCapacity: 1 });
    const { result, host_id } = await create();
    expect({ result, host_id }).toEqual({ result: 'warm', host_id: speaking.id });
  });

  test('is refused at once when every host has as many as it carries, however many ask at once', async () => {
    await host({ warmRooms: 20, voiceCapacity: 3 });
    await host({ warmRooms: 20, voiceCapacity: 2 });
    const refused = Array.from({ length: 7 }, () => 'no_capacity');
    expect(await results(12)).toEqual([...refused, ...Array.from({ length: 5 }, () => 'warm')]);
  });

  test('waits for a warm room while its host has room for it, and written ones do not count', async () => {
    await host({ warmRooms: 0, voiceCapacity: 1 });
    expect((await create({ mode: 'TEXT' })).result).toBe('cold');
    expect((await create()).result).toBe('cold');
  });

  test('is refused while no host is there, but not for good', async () => {
    expect((await create()).result).toBe('cold');
  });
});

test('several that are asked for in one statement share what room there is', async () => {
  const owner = await store.addTenant(`together-${tenants}`);
  await host({ warmRooms: 4, voiceCapacity: 2 });
  const spoken = Array.from({ length: 4 }, () => newSession(owner, { mode: 'VOICE', warm: true }));
  expect((await insertSessions(store.db, spoken)).map(({ result }) => result)).toEqual([
    'warm',
    'warm',
    'cold',
    'cold',
  ]);
});

test('of two that are opened at once each gets a host of its own, and neither waits for the other to commit', async () => {
  const owner = await store.addTenant(`apart-${tenants}`);
  const both = [await host({ warmRooms: 1, voiceCapacity: 2 }), await host({ warmRooms: 1, voiceCapacity: 2 })];
  const spoken = () => [newSession(owner, { mode: 'VOICE', warm: true })];
  await store.db.asTenant(owner.tenant, async (tx) => {
    const first = await insertSessions(tx, spoken());
    const second = await insertSessions(store.db, spoken());
    const given = [...first, ...second].map(({ result, host_id }) => ({ result, host_id }));
    expect(given).toEqual(expect.arrayContaining(both.map(({ id }) => ({ result: 'warm', host_id: id }))));
  });
});

describe('a host', () => {
  test('that nobody waits for locks no warm room: a look writes nothing', async () => {
    const idle = await host({ warmRooms: 3, voiceCapacity: 1 });
    await store.admin.asTenant(idle.id, async (tx) => {
      expect(await assignWarmRooms(tx, idle.id)).toEqual([]);
      expect(await tx.query(sql`select pg_current_xact_id_if_assigned() as id`)).toEqual([{ id: null }]);
    });
  });

  test('is told whether there is anything to look for', async () => {
    const { id } = await host({ warmRooms: 1, voiceCapacity: 1 });
    expect(await hostWork(store.db, id)).toEqual({ assigned: false, unclaimed: false });
    await create();
    expect(await hostWork(store.db, id)).toEqual({ assigned: true, unclaimed: false });
    await acknowledgeAssigned(store.db, id);
    await create({ mode: 'TEXT' });
    expect(await hostWork(store.db, id)).toEqual({ assigned: false, unclaimed: true });
  });

  test('serves as many waiting spoken sessions as it has room for, and all written ones', async () => {
    const speaking = await host({ warmRooms: 0, voiceCapacity: 1 });
    for (const mode of ['VOICE', 'VOICE', 'TEXT'] as const) await create({ mode });
    await speaking.addWarmRooms(5);
    expect(await assignWarmRooms(store.db, speaking.id)).toHaveLength(2);
    expect(await assignWarmRooms(store.db, speaking.id)).toHaveLength(0);
  });

  test('that cannot speak claims no spoken session, new or orphaned', async () => {
    const speaking = await host({ warmRooms: 1, voiceCapacity: 1 });
    const { session_id } = await create();
    await store.admin.query({ text: 'update sessions set host_id = null', values: [] });
    const silent = await host({});
    const claim = { fresh: 4, total: 8, hasWarmRooms: false };
    expect(await claimSessions(store.db, silent.id, claim)).toEqual([]);
    expect(await claimSessions(store.db, speaking.id, claim)).toMatchObject([{ session_id, epoch: 2 }]);
  });

  test.each([
    ['claims', (id: string) => claimSessions(store.db, id, { fresh: 4, total: 8, hasWarmRooms: false })],
    ['serves', (id: string) => assignWarmRooms(store.db, id)],
  ])('%s no waiting spoken session in the place of one that is just being opened', async (_what, take) => {
    // No host was there yet.
    expect((await create()).result).toBe('cold');
    const speaking = await host({ warmRooms: 2, voiceCapacity: 1 });
    const owner = await store.addTenant(`opening-${tenants}`);
    const taking = await store.db.asTenant(owner.tenant, async (tx) => {
      const [opened] = await insertSessions(tx, [newSession(owner, { mode: 'VOICE', warm: true })]);
      expect(opened).toMatchObject({ result: 'warm', host_id: speaking.id });
      const taken = take(speaking.id);
      const waits = eventually('it waits', async () => {
        const locks = await store.admin.query(sql`select 1 from pg_locks where locktype = 'advisory' and not granted`);
        return locks.length > 0;
      });
      await Promise.race([taken, waits]);
      return { taken };
    });
    expect(await taking.taken).toEqual([]);
  });

  test('whose engines cannot keep up takes no more than it has, and one more at a time when they can again', async () => {
    const { id } = await host({ warmRooms: 9, voiceCapacity: 4 });
    await Promise.all([create(), create()]);
    expect(await closeVoicePlaces(store.db, id)).toBe(2);
    expect((await create()).result).toBe('no_capacity');
    expect(await openVoicePlace(store.db, id, 4)).toBe(3);
    expect((await create()).result).toBe('warm');
    expect(await openVoicePlace(store.db, id, 4)).toBe(4);
    expect(await openVoicePlace(store.db, id, 4)).toBe(4);
    const idle = await host({ voiceCapacity: 4 });
    expect(await closeVoicePlaces(store.db, idle.id)).toBe(1);
    expect(await closeVoicePlaces(store.db, crypto.randomUUID())).toBeUndefined();
    const silent = await host({});
    expect(await closeVoicePlaces(store.db, silent.id)).toBeUndefined();
  });

  test('takes over a call beyond its room when nobody else has for a second', async () => {
    const full = await host({ warmRooms: 2, voiceCapacity: 1 });
    await create();
    const other = await host({ warmRooms: 1, voiceCapacity: 1 });
    const { session_id } = await create();
    const lost = {
      text: `update sessions set host_id = null, unattended_since = clock_timestamp() where id = $1`,
      values: [session_id],
    };
    await store.admin.query(lost);
    await other[Symbol.asyncDispose]();
    const claim = () => claimSessions(store.db, full.id, { fresh: 4, total: 8, hasWarmRooms: true });
    expect(await claim()).toEqual([]);
    await store.admin.query({
      ...lost,
      text: lost.text.replace('clock_timestamp()', "clock_timestamp() - interval '2 seconds'"),
    });
    expect(await claim()).toMatchObject([{ session_id }]);
  });
});

describe('where hosts tell what they can do', () => {
  const german: SpeechNeeds = [['key:OUR_EAR', 'grammar:de'], ['voice:de']];

  test('a spoken session goes to a host that can do what it needs, and is refused where none can', async () => {
    await host({ warmRooms: 1, voiceCapacity: 1, abilities: ['voice:de', 'voice:en', 'key:OTHER'] });
    expect((await create({ speechNeeds: german })).result).toBe('voice_unavailable');
    expect((await create({ speechNeeds: [['voice:en']] })).result).toBe('warm');
    const able = await host({ warmRooms: 2, voiceCapacity: 1, abilities: ['voice:de', 'grammar:de'] });
    expect(await create({ speechNeeds: german })).toMatchObject({ result: 'warm', host_id: able.id });
    // Now the one that can is full, and the other one still cannot.
    expect((await create({ speechNeeds: german })).result).toBe('no_capacity');
  });

  test('a request that is known by its key is compared as well', async () => {
    await host({ warmRooms: 1, voiceCapacity: 1, abilities: ['voice:en'] });
    const idempotency = { scopeHash: Buffer.alloc(32, 1), bodyHash: Buffer.alloc(32, 2) };
    expect((await create({ speechNeeds: german, idempotency })).result).toBe('voice_unavailable');
  });

  test('nobody else takes it up, when it is new and when its host has died', async () => {
    const unable = await host({ voiceCapacity: 1, abilities: [] });
    const able = await host({ voiceCapacity: 1, abilities: ['voice:de', 'grammar:de'] });
    const { session_id } = await create({ speechNeeds: german });
    const claim = { fresh: 4, total: 8, hasWarmRooms: false };
    const claimed = ({ id }: FakeHost) => claimSessions(store.db, id, claim);
    await unable.addWarmRooms(1);
    expect(await assignWarmRooms(store.db, unable.id)).toEqual([]);
    expect(await claimed(unable)).toEqual([]);
    expect(await claimed(able)).toMatchObject([{ session_id, epoch: 1 }]);
    await store.admin.query(
      sql`update sessions set host_id = null, unattended_since = clock_timestamp() - interval '2 seconds' where id = ${session_id}`,
    );
    expect(await claimed(unable)).toEqual([]);
    expect(await claimed(able)).toMatchObject([{ session_id, epoch: 2 }]);
  });

  test('a written session becomes spoken only where it can be spoken', async () => {
    await host({ warmRooms: 1, voiceCapacity: 1, abilities: ['voice:en'] });
    const owner = await store.addTenant(`becomes-${tenants}`);
    const { session_id } = await insertSession(store.db, newSession(owner, { warm: true }));
    const speak = (needs: SpeechNeeds) =>
      takeSpokenPlace(store.db, { tenant: owner.tenant, session: session_id, epoch: 1, needs });
    expect(await speak(german)).toBe(false);
    expect(await speak([['voice:en']])).toBe(true);
  });
});

describe('a spoken session that nobody joins', () => {
  const age = (id: string, seconds: number) =>
    store.admin.query(
      sql`update sessions set created_at = created_at - ${seconds} * interval '1 second' where id = ${id}`,
    );
  const join = (id: string) => store.admin.query(sql`update sessions set status = 'running' where id = ${id}`);
  const take = async (id: string) => {
    const [row] = await store.admin.query<{ tenant_id: string; epoch: number }>(
      sql`select tenant_id, epoch from sessions where id = ${id}`,
    );
    return takeSpokenPlace(store.db, { tenant: row?.tenant_id ?? '', session: id, epoch: row?.epoch ?? 0, needs: [] });
  };
  const modeOf = async (id: string) =>
    (await store.admin.query(sql`select interaction_mode, speech_needs from sessions where id = ${id}`))[0];

  test('keeps its place for 60 s, after which another gets it', async () => {
    await host({ warmRooms: 3, voiceCapacity: 1 });
    const { session_id } = await create();
    await age(session_id, 58);
    expect((await create()).result).toBe('no_capacity');
    await age(session_id, 3);
    expect((await create()).result).toBe('warm');
    expect((await create()).result).toBe('no_capacity');
  });

  test('keeps it for good once it is joined', async () => {
    await host({ warmRooms: 3, voiceCapacity: 1 });
    const { session_id } = await create();
    await join(session_id);
    await age(session_id, 600);
    expect((await create()).result).toBe('no_capacity');
  });

  test('gets one again when it is joined later and there is one, and is written where there is none', async () => {
    await host({ warmRooms: 4, voiceCapacity: 2 });
    const late = [await create(), await create()].map(({ session_id }) => session_id);
    for (const id of late) await age(id, 61);
    await create();
    for (const id of late) await join(id);
    // One place is left for the two of them, whoever asks first, however much both look as if they had one.
    const taken = await Promise.all(late.map(take));
    expect(taken.toSorted()).toEqual([false, true]);
    const [given, refused] = [late[taken.indexOf(true)] ?? '', late[taken.indexOf(false)] ?? ''];
    expect(await modeOf(given)).toEqual({ interaction_mode: 'VOICE', speech_needs: [] });
    expect(await modeOf(refused)).toEqual({ interaction_mode: 'TEXT', speech_needs: null });
  });

  test('asked for by a host that does not own it, nothing changes', async () => {
    await host({ warmRooms: 1, voiceCapacity: 1 });
    const { session_id } = await create();
    await store.admin.query(sql`update sessions set epoch = 7 where id = ${session_id}`);
    const [row] = await store.admin.query<{ tenant_id: string }>(
      sql`select tenant_id from sessions where id = ${session_id}`,
    );
    const stale = { tenant: row?.tenant_id ?? '', session: session_id, epoch: 1, needs: [] };
    expect(await takeSpokenPlace(store.db, stale)).toBe(false);
    expect(await modeOf(session_id)).toMatchObject({ interaction_mode: 'VOICE' });
  });
});
