import { afterAll, beforeAll, expect, test } from 'vitest';
import { liveOne, versionBefore } from '../../scripts/cli/agents/versions/known.ts';
import { hashOf } from '../../services/agent-files/compile/hash.ts';
import type { CompiledAgent } from '../../services/agent-files/definition/compiled.ts';
import { publishAgents } from '../../services/core/agents/publish.ts';
import { makeVault } from '../../services/core/credentials/vault.ts';
import { makeNotifier } from '../../services/store/notify.ts';
import { sql } from '../../services/store/sql.ts';
import { findAgent, listVersions, markWebhookDisabled } from '../../services/store/tables/agents.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../support/databases/migrated-database.ts';
import { type AgentChoices, compiledAgent } from '../support/world/compiled-agent.ts';
import { masterKeys } from '../support/world/master-keys.ts';

let store: MigratedDatabase;
let tenant: string;

beforeAll(async () => {
  store = await startMigratedDatabase();
  ({ tenant } = await store.addTenant('mine'));
  await store.addTenant('theirs');
});

afterAll(() => store?.[Symbol.asyncDispose]());

const vault = makeVault(masterKeys);
const agents = ['a', 'b', 'c'];

const publish = (commit: string, compiled: readonly CompiledAgent[]) => {
  // Of the words alone: settings must hold by themselves.
  const versions = compiled.map((agent) => ({ hash: hashOf({ ...agent, settings: null }), agent }));
  return publishAgents({ db: store.db, vault, notifier: makeNotifier(store.db) }, { tenant, versions, commit });
};
/** A revision of the three agents, one of them changed. */
const revision = (changed: AgentChoices = {}) =>
  agents.map((agent) => compiledAgent({ ...(changed.agent === agent && changed), agent }));

/** With xmin, which tells a row that was written from one that was left alone. */
const rows = () =>
  store.admin.query<{ agent: string; row: string; commit: string | null; deleted: boolean; off: boolean }>(sql`
    select a.agent, a.xmin::text || ' ' || a.xmax::text as row, v.commit, a.deleted_at is not null as deleted,
      a.webhook_disabled_at is not null as off
    from agents a join agent_versions v on v.tenant_id = a.tenant_id and v.agent = a.agent and v.hash = a.version_hash
    where a.tenant_id = ${tenant} and a.agent = any (${agents}) order by a.agent`);
const count = async (table: 'agent_versions' | 'agent_keys' | 'agent_secrets') =>
  (
    await store.admin.query({
      text: `select 1 from ${table} where tenant_id = $1 and agent = any ($2)`,
      values: [tenant, agents],
    })
  ).length;

test('agents that are new are live with credentials, and those whose file is gone are switched off', async () => {
  const { changed, deleted } = await publish('first', revision());
  expect(changed.toSorted()).toEqual(agents);
  expect(deleted).toEqual(['desk']);
  expect(await count('agent_keys')).toBe(3);
  expect(await count('agent_secrets')).toBe(3);
  const others = await store.admin.query(sql`select 1 from agents where tenant_id <> ${tenant} and deleted_at is null`);
  expect(others).toHaveLength(1);
});

test('only what changed is written: its version with the commit, and its row', async () => {
  const before = await rows();
  expect(await publish('second', revision({ agent: 'b', definition: { prompt: 'Other words.' } }))).toEqual({
    changed: ['b'],
    deleted: [],
  });
  const after = await rows();
  expect(after.map(({ commit }) => commit)).toEqual(['first', 'second', 'first']);
  expect(after.map(({ row }, at) => row === before[at]?.row)).toEqual([true, false, true]);
  expect(await count('agent_versions')).toBe(4);
  expect(await count('agent_keys')).toBe(3);
});

test('settings change without a new version, and another address gives a webhook a new chance', async () => {
  const settings = compiledAgent().settings;
  const webhook = (url: string) => ({ definition: { settings: { ...settings, webhook: { url } } } });
  const versions = await count('agent_versions');
  await publish('third', revision({ agent: 'b', ...webhook('https://old.example/') }));
  await store.db.asTenant(tenant, (tx) => markWebhookDisabled(tx, 'b'));
  await publish('fourth', revision({ agent: 'b', ...webhook('https://old.example/') }));
  expect((await rows()).map(({ off }) => off)).toEqual([false, true, false]);
  expect(await count('agent_versions')).toBe(versions);
  await publish('fifth', revision({ agent: 'b', ...webhook('https://new.example/') }));
  expect((await rows()).map(({ off }) => off)).toEqual([false, false, false]);
});

test('what a version replaced is known after going back, too: what was live just before it, and not what was new before it', async () => {
  const words = (prompt: string) => revision({ agent: 'a', definition: { prompt } });
  for (const prompt of ['One.', 'Two.', 'One.', 'Three.']) await publish('going back', words(prompt));
  const known = await store.db.asTenant(tenant, async (tx) => {
    const live = await findAgent(tx, 'a');
    return live && { live, versions: await listVersions(tx, 'a') };
  });
  if (!known) throw new Error('a is live');
  const promptBefore = versionBefore(known, liveOne(known))?.definition.prompt;
  expect([liveOne(known).definition.prompt, promptBefore]).toEqual(['Three.', 'One.']);
  // What another release made live without keeping what it replaced.
  const unknown = { ...known, live: { ...known.live, version_before: null } };
  expect(versionBefore(unknown, liveOne(known))?.definition.prompt).toBe('Two.');
  await publish('as it was', revision());
});

test('an agent whose file comes back is live again with the credentials it had', async () => {
  expect((await publish('sixth', revision().slice(0, 2))).deleted).toEqual(['c']);
  expect((await rows()).map(({ deleted }) => deleted)).toEqual([false, false, true]);
  expect((await publish('seventh', revision())).changed).toContain('c');
  expect((await rows()).map(({ deleted }) => deleted)).toEqual([false, false, false]);
  expect(await count('agent_keys')).toBe(3);
});
