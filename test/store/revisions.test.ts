import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashOf } from '../../services/contract/agents/hash.ts';
import { judgeRevision, type OfferedRevision } from '../../services/core/agents/revisions.ts';
import { makeVault } from '../../services/core/credentials/vault.ts';
import { makeNotifier } from '../../services/store/notify.ts';
import { sql } from '../../services/store/sql.ts';
import { newestRevision, type RevisionRow } from '../../services/store/tables/agent-revisions.ts';
import { compiledAgent } from '../support/compiled-agent.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../support/migrated-database.ts';

let store: MigratedDatabase;
let tenant: string;

beforeAll(async () => {
  store = await startMigratedDatabase();
  ({ tenant } = await store.addTenant('mine'));
});

afterAll(() => store?.[Symbol.asyncDispose]());

const source = '/srv/agents.git main:agents';
const vault = makeVault(`k1:${Buffer.alloc(32, 7).toString('base64')}`);
const seen = async () => (await store.db.asTenant(tenant, (tx) => newestRevision(tx, source)))?.id ?? null;

/** A worker offers the commit; its prompt names the commit. */
function offer(commit: string, choices: Partial<OfferedRevision> & Pick<OfferedRevision, 'seen'>) {
  const agent = compiledAgent({ definition: { prompt: `From ${commit}.` } });
  const deps = { db: store.db, vault, notifier: makeNotifier(store.db) };
  const versions = [{ hash: hashOf(agent), agent }];
  return judgeRevision(deps, { tenant, source, commit, versions, refusedBecause: undefined, ...choices });
}

const live = async () =>
  (
    await store.admin.query<{ prompt: string }>(sql`
      select v.definition ->> 'prompt' as prompt from agents a
      join agent_versions v on v.tenant_id = a.tenant_id and v.agent = a.agent and v.hash = a.version_hash
      where a.tenant_id = ${tenant}`)
  )[0]?.prompt;
const rows = () =>
  store.admin.query<RevisionRow>(sql`select * from agent_revisions where source = ${source} order by id`);

test('a worker that looked before another decided never overwrites what that one found', async () => {
  const early = await seen();
  expect(await offer('newer', { seen: early })).toMatchObject({ outcome: 'activated' });
  expect(await offer('older', { seen: early })).toEqual({ outcome: 'overtaken' });
  expect(await live()).toBe('From newer.');
  expect(await offer('older', { seen: early, refusedBecause: 'a fault' })).toEqual({ outcome: 'overtaken' });
  expect((await rows()).map(({ commit, state }) => [commit, state])).toEqual([['newer', 'active']]);
});

test('a worker that looks again may go back to an earlier commit: the branch did', async () => {
  expect(await offer('older', { seen: await seen() })).toMatchObject({ outcome: 'activated' });
  expect(await live()).toBe('From older.');
});

test('workers that find the same agree, and it is stored once', async () => {
  const early = await seen();
  const outcomes = await Promise.all([1, 2, 3, 4].map(() => offer('same', { seen: early })));
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(4).fill('activated'));
  expect((await rows()).filter(({ commit }) => commit === 'same')).toHaveLength(1);
});

test('of workers that find different commits at the same time exactly one decides', async () => {
  const early = await seen();
  const outcomes = await Promise.all(['a', 'b', 'c', 'd'].map((commit) => offer(commit, { seen: early })));
  const winners = ['a', 'b', 'c', 'd'].filter((_, index) => outcomes[index]?.outcome === 'activated');
  expect(winners).toHaveLength(1);
  expect(outcomes.filter(({ outcome }) => outcome === 'overtaken')).toHaveLength(3);
  expect(await live()).toBe(`From ${winners[0]}.`);
  expect((await rows()).at(-1)?.commit).toBe(winners[0]);
});

test('a refused revision is stored with its reason once, and changes nothing that is live', async () => {
  const before = await live();
  for (let look = 0; look < 3; look += 1)
    expect(await offer('bad', { seen: await seen(), refusedBecause: 'desk.yaml:2:1 Wrong.' })).toEqual({
      outcome: 'refused',
    });
  expect((await rows()).filter(({ commit }) => commit === 'bad')).toMatchObject([
    { state: 'refused', reason: 'desk.yaml:2:1 Wrong.' },
  ]);
  expect(await live()).toBe(before);
});
