import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentVariablesIn } from '../../services/agent-files/definition/agent-variables.ts';
import { insertSession } from '../../services/core/channels/new-session.ts';
import { finishSession } from '../../services/core/finish/finish.ts';
import { analytics } from '../../services/core/insight/analytics.ts';
import { eraseSession } from '../../services/core/sessions/erase.ts';
import { type MigratedDatabase, newSession, startMigratedDatabase } from '../support/databases/migrated-database.ts';
import { end, join, type Said, say } from '../support/databases/stored-conversation.ts';

let store: MigratedDatabase;

beforeAll(async () => {
  store = await startMigratedDatabase();
});

afterAll(async () => {
  await store?.[Symbol.asyncDispose]();
});

const silent = {
  notifier: { tell: () => undefined },
  rooms: { close: async () => undefined, participants: async () => [] },
};
const began = new Date('2026-11-20T10:30:00.000Z');
const minute = 60_000;

interface Owner {
  tenant: string;
  version: string;
}

/** A conversation that is over, and what its finish job needs. */
async function converse(owner: Owner, said: Said & { language?: string } = {}): Promise<string> {
  const { tenant } = owner;
  const { language = 'en', ...lines } = said;
  const created = await insertSession(store.db, newSession(owner, { language }));
  const session = { id: created.session_id, room: created.room_name };
  const where = { db: store.db, tenant };
  await join(where, session, began);
  await say(where, session, { lines: [['USER', 'hello']], ...lines });
  await end(where, session, 'client_ended', new Date(began.getTime() + 2 * minute));
  return session.id;
}

const finish = (tenant: string, session: string) =>
  finishSession(
    // Later than what a client may still hand in.
    {
      db: store.db,
      ...silent,
      clock: { now: () => new Date(Date.now() + minute) },
      forAgents: agentVariablesIn({}),
      vault: { open: () => '' },
    },
    { tenant, session },
  );

const ask = (tenant: string, fields: Partial<Parameters<typeof analytics>[2]> = {}) =>
  analytics(store.db, tenant, {
    ...{ from: new Date('2026-11-20T00:00:00.000Z'), to: new Date('2026-11-21T00:00:00.000Z') },
    ...{ bucket: 'hour', filters: {}, compare: [], ...fields },
  });

test('a conversation is counted once, however often its finish job runs, and at the hour in which it began', async () => {
  const owner = await store.addTenant('counted');
  const id = await converse(owner, { toolCalls: [{ name: 'book', status: 'failed' }] });
  expect((await ask(owner.tenant)).totals.conversations).toBe(0);
  await Promise.all([finish(owner.tenant, id), finish(owner.tenant, id)]);
  expect(await finish(owner.tenant, id)).toBe('nothing_to_do');
  const { totals, series, by, tools } = await ask(owner.tenant);
  expect(totals).toMatchObject({ conversations: 1, completed: 1, turns: 1 });
  expect(totals.endReasons).toEqual({ client_ended: 1 });
  expect(series).toHaveLength(24);
  expect(series.filter(({ conversations }) => conversations > 0).map(({ at }) => at.toISOString())).toEqual([
    '2026-11-20T10:00:00.000Z',
  ]);
  expect(by.version).toMatchObject([{ name: owner.version.slice(0, 12), agent: 'desk', conversations: 1 }]);
  expect(tools).toMatchObject([{ tool: 'book', ok: 0, failed: 1 }]);
});

test('hours and days say the same, filters narrow, and another tenant has nothing of it', async () => {
  const owner = await store.addTenant('filtered');
  const stranger = await store.addTenant('stranger');
  for (const language of ['en', 'de', 'de']) await finish(owner.tenant, await converse(owner, { language }));
  const counts = async (fields: Parameters<typeof ask>[1]) => (await ask(owner.tenant, fields)).totals.conversations;
  expect([await counts({}), await counts({ bucket: 'day' })]).toEqual([3, 3]);
  expect(await counts({ filters: { language: 'de' } })).toBe(2);
  expect(await counts({ filters: { language: 'de', agent: 'desk', mode: 'TEXT' } })).toBe(2);
  expect(await counts({ filters: { version: owner.version.slice(0, 12) } })).toBe(3);
  expect(await counts({ filters: { language: 'de', version: '0000000' } })).toBe(0);
  expect(await counts({ from: new Date('2026-11-20T11:00:00.000Z') })).toBe(0);
  const { by } = await ask(owner.tenant);
  expect(by.language.map(({ name, conversations }) => [name, conversations])).toEqual([
    ['de', 2],
    ['en', 1],
  ]);
  expect((await ask(stranger.tenant)).totals.conversations).toBe(0);
});

test('two versions of an agent stand side by side, each with the size of its sample', async () => {
  const owner = await store.addTenant('compared');
  await finish(owner.tenant, await converse(owner));
  const compare = [owner.version.slice(0, 12), '000000000000'];
  const { compared } = await ask(owner.tenant, { filters: { agent: 'desk' }, compare });
  expect(compared).toMatchObject([
    { version: compare[0], conversations: 1 },
    { version: compare[1], conversations: 0 },
  ]);
});

test('conversations that finish at once are all counted', async () => {
  const owner = await store.addTenant('together');
  const ids = await Promise.all(Array.from({ length: 12 }, () => converse(owner)));
  await Promise.all(ids.map((id) => finish(owner.tenant, id)));
  expect((await ask(owner.tenant)).totals.conversations).toBe(12);
});

test('erasing a conversation keeps its counts, which name nobody', async () => {
  const owner = await store.addTenant('erased');
  const id = await converse(owner);
  await finish(owner.tenant, id);
  await eraseSession(
    { db: store.db, ...silent },
    { tenant: owner.tenant, session: id, by: 'operator', reason: 'operator_ended' },
  );
  expect((await ask(owner.tenant)).totals.conversations).toBe(1);
});
