import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { admitArrival } from '../../services/core/channels/arrival.ts';
import { insertSession } from '../../services/core/channels/new-session.ts';
import { makeNotifier } from '../../services/store/notify.ts';
import { sql } from '../../services/store/sql.ts';
import { listHostSpeech } from '../../services/store/tables/hosts.ts';
import { startFakeHost } from '../support/databases/fake-host.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../support/databases/migrated-database.ts';
import { compiledAgent, publish } from '../support/world/compiled-agent.ts';
import { masterKeys } from '../support/world/master-keys.ts';

let store: MigratedDatabase;
let tenant: string;

beforeAll(async () => {
  store = await startMigratedDatabase();
  ({ tenant } = await store.addTenant('calls'));
  const spoken = compiledAgent({ agent: 'spoken', definition: { interactionMode: 'VOICE' } });
  await publish({ serviceUrl: store.serviceUrl, masterKeys, tenant }, [spoken]);
});

afterAll(async () => {
  await store?.[Symbol.asyncDispose]();
});

/** Somebody is in a room that has no session. */
function arrive(room = `call-${randomUUID()}`): Promise<string> {
  const { db } = store;
  const deps = {
    db,
    notifier: makeNotifier(db),
    insertSession: insertSession.bind(undefined, db),
    hostsSpeech: () => listHostSpeech(db),
  };
  return admitArrival(deps, { tenant, agent: 'spoken', room, identity: 'caller', channel: 'phone' });
}

const stored = async (id: string) =>
  (await store.admin.query(sql`select interaction_mode, speech_needs, room_name from sessions where id = ${id}`))[0];

test("an arrival is held in the agent's own mode, by a host that can speak it", async () => {
  await using _ = await startFakeHost(store.serviceUrl, { voiceCapacity: 4, abilities: ['voice:en', 'dictation'] });
  const room = `call-${randomUUID()}`;
  expect(await stored(await arrive(room))).toEqual({
    interaction_mode: 'VOICE',
    speech_needs: [expect.arrayContaining(['dictation']), ['voice:en']],
    room_name: room,
  });
});

test('an arrival that no host can speak is refused, and leaves no session', async () => {
  await using _ = await startFakeHost(store.serviceUrl, { voiceCapacity: 4, abilities: ['voice:de'] });
  const room = `call-${randomUUID()}`;
  await expect(arrive(room)).rejects.toMatchObject({ code: 'voice_unavailable' });
  expect(await store.admin.query(sql`select 1 from sessions where room_name = ${room}`)).toEqual([]);
});

test('several reports of one arrival, at once, make one session', async () => {
  const room = `call-${randomUUID()}`;
  const made = await Promise.all(Array.from({ length: 8 }, () => arrive(room)));
  expect(new Set(made).size).toBe(1);
});
