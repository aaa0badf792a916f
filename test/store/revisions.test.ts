import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashOf } from '../../services/agent-files/compile/hash.ts';
import type { Fault } from '../../services/agent-files/faults.ts';
import { listShownRevisions } from '../../services/core/agents/list-revisions.ts';
import { judgeRevision, noteWarnings, type OfferedRevision } from '../../services/core/agents/revisions.ts';
import { makeVault } from '../../services/core/credentials/vault.ts';
import { makeNotifier } from '../../services/store/notify.ts';
import { sql } from '../../services/store/sql.ts';
import { newestRevision, type RevisionRow } from '../../services/store/tables/agent-revisions.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../support/databases/migrated-database.ts';
import { compiledAgent } from '../support/world/compiled-agent.ts';
import { masterKeys } from '../support/world/master-keys.ts';

let store: MigratedDatabase;
let tenant: string;

beforeAll(async () => {
  store = await startMigratedDatabase();
  ({ tenant } = await store.addTenant('mine'));
});

afterAll(() => store?.[Symbol.asyncDispose]());

const source = '/srv/agents.git main:agents';
const vault = makeVault(masterKeys);
const seen = async () => (await store.db.asTenant(tenant, (tx) => newestRevision(tx, source)))?.id ?? null;

const fault = (line: number): Fault => ({
  ...{ file: 'desk.yaml', line, column: 1 },
  ...{ rule: 'x', message: 'Wrong.', severity: 'error' },
});
const refused = { state: 'refused', reasons: [fault(2)] } as const;

/** A worker offers the commit; its prompt names the commit. */
function offer(commit: string, choices: Partial<OfferedRevision> & Pick<OfferedRevision, 'seen'>) {
  const agent = compiledAgent({ definition: { prompt: `From ${commit}.` } });
  const deps = { db: store.db, vault, notifier: makeNotifier(store.db) };
  const versions = [{ hash: hashOf(agent), agent }];
  const origin = { tenant, source, commit, author: 'Ada', subject: `Change ${commit}` };
  return judgeRevision(deps, {
    ...origin,
    versions,
    state: 'active',
    reasons: [],
    wantsCommitStatus: false,
    ...choices,
  });
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
  expect(await offer('older', { seen: early, state: 'refused' })).toEqual({ outcome: 'overtaken' });
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
    expect(await offer('bad', { seen: await seen(), ...refused })).toEqual({
      outcome: 'refused',
    });
  expect((await rows()).filter(({ commit }) => commit === 'bad')).toMatchObject([
    { state: 'refused', reasons: [{ file: 'desk.yaml', line: 2, column: 1, message: 'Wrong.' }], author: 'Ada' },
  ]);
  expect(await live()).toBe(before);
});

test('what is wrong with a live revision is noted at it, tells its Git host anew, and never at one that was judged since', async () => {
  const note = (commit: string, ...warnings: Fault[]) => noteWarnings(store, { tenant, source, commit, warnings });
  await offer('warned', { seen: await seen(), wantsCommitStatus: true });
  await store.admin.query(sql`update agent_revisions set host_status = 'posted', host_attempts = 1`);
  await note('warned');
  expect((await rows()).at(-1)).toMatchObject({ warnings: [], host_status: 'posted' });
  await note('warned', fault(3));
  await note('warned', fault(3));
  const place = { file: 'desk.yaml', line: 3, column: 1, message: 'Wrong.' };
  expect((await rows()).at(-1)).toMatchObject({ warnings: [place], host_status: 'pending', host_attempts: 0 });
  await offer('next', { seen: await seen() });
  await note('warned', fault(4));
  expect((await rows()).map(({ warnings }) => warnings).slice(-2)).toEqual([[place], []]);
  await offer('bad again', { seen: await seen(), ...refused });
  await note('bad again', fault(5));
  expect((await rows()).at(-1)).toMatchObject({ warnings: [] });
});

test('revisions are shown page by page, newest first, with their reasons and the one that is live', async () => {
  const { tenant: other } = await store.addTenant('other');
  const faults = Array.from({ length: 60 }, (_, line) => fault(line + 1));
  for (const n of [1, 2, 3, 4, 5])
    await offer(`page${n}`, { seen: await seen(), ...(n === 4 ? {} : { state: 'refused', reasons: faults }) });
  const first = await listShownRevisions(store.db, tenant, { limit: 2 });
  expect(first.items.map(({ commit, state, isLive }) => [commit, state, isLive])).toEqual([
    ['page5', 'refused', false],
    ['page4', 'active', true],
  ]);
  expect(first.items[0]).toMatchObject({
    author: 'Ada',
    subject: 'Change page5',
    reasonsLeftOut: 10,
    commitStatus: null,
  });
  expect(first.items[0]?.reasons).toHaveLength(50);
  expect(first.items[0]?.reasons[1]).toEqual({ file: 'desk.yaml', line: 2, column: 1, message: 'Wrong.' });
  const commits: (string | null)[] = [];
  for (let cursor: string | null = first.nextCursor; cursor !== null; ) {
    const page = await listShownRevisions(store.db, tenant, { limit: 3, cursor });
    commits.push(...page.items.map(({ commit }) => commit));
    cursor = page.nextCursor;
  }
  expect(commits.slice(0, 3)).toEqual(['page3', 'page2', 'page1']);
  expect([...commits, 'page4', 'page5']).toHaveLength((await rows()).length);
  expect((await listShownRevisions(store.db, other)).items).toEqual([]);
  await expect(listShownRevisions(store.db, tenant, { cursor: 'x' })).rejects.toMatchObject({ status: 400 });
});
