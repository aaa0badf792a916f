import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashOf } from '../../services/agent-files/compile/hash.ts';
import type { AgentVersion } from '../../services/agent-files/definition/compiled.ts';
import type { Scenario } from '../../services/contract/generated/scenario.ts';
import { liveVersion, recordPasses, trialsOf, untried } from '../../services/core/agents/gate.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../support/databases/migrated-database.ts';
import { compiledAgent } from '../support/world/compiled-agent.ts';
import { scenarioOf } from '../support/world/scenario.ts';

let store: MigratedDatabase;
let mine: string;
let theirs: string;
let liveHash: string;

beforeAll(async () => {
  store = await startMigratedDatabase();
  ({ tenant: mine, version: liveHash } = await store.addTenant('mine'));
  ({ tenant: theirs } = await store.addTenant('theirs'));
});

afterAll(() => store?.[Symbol.asyncDispose]());

const scripted = { model: 'scripted', env: {} } as const;

const version = (prompt: string): AgentVersion => {
  const agent = compiledAgent({ definition: { prompt } });
  return { hash: hashOf(agent), agent };
};

const trials = (of: AgentVersion, scenarios: Scenario[], choice: Parameters<typeof trialsOf>[1] = scripted) =>
  trialsOf({ versions: [of], scenarios: [{ agent: 'desk', scenarios }] }, choice);

const untriedOf = async (...given: Parameters<typeof trials>) =>
  (await untried(store.db, mine, trials(...given))).map(({ agent }) => agent);

test('a version that was live before needs no run', async () => {
  const live = { hash: liveHash, agent: compiledAgent() };
  expect(await untriedOf(live, [scenarioOf({ name: 'a' })])).toEqual([]);
});

test('a new version needs one until it has passed, and only for its tenant', async () => {
  const fresh = version('fresh');
  expect(await untriedOf(fresh, [scenarioOf({ name: 'a' })])).toEqual(['desk']);
  await recordPasses(store.db, theirs, trials(fresh, [scenarioOf({ name: 'a' })]));
  expect(await untriedOf(fresh, [scenarioOf({ name: 'a' })])).toEqual(['desk']);
  await recordPasses(store.db, mine, trials(fresh, [scenarioOf({ name: 'a' })]));
  await recordPasses(store.db, mine, trials(fresh, [scenarioOf({ name: 'a' })]));
  expect(await untriedOf(fresh, [scenarioOf({ name: 'a' })])).toEqual([]);
});

test('a pass counts for its scenarios, its version and its model only', async () => {
  const passed = version('passed');
  await recordPasses(store.db, mine, trials(passed, [scenarioOf({ name: 'a' })]));
  expect(await untriedOf(passed, [scenarioOf({ name: 'b' })])).toEqual(['desk']);
  expect(await untriedOf(version('another'), [scenarioOf({ name: 'a' })])).toEqual(['desk']);
  const onOpenAI = {
    ...passed,
    agent: { ...passed.agent, model: { ...passed.agent.model, provider: 'openai' as const } },
  };
  expect(await untriedOf(onOpenAI, [scenarioOf({ name: 'a' })], { model: 'declared', env: {} })).toEqual(['desk']);
});

test('an agent without scenarios, or with live ones only, has nothing to pass', async () => {
  expect(trialsOf({ versions: [version('none')], scenarios: [] }, scripted)).toEqual([]);
  expect(await untriedOf(version('live'), [scenarioOf({ name: 'a', live: true })])).toEqual([]);
});

test('the version that an agent has live is found with the settings that hold', async () => {
  expect(await liveVersion(store.db, mine, 'desk')).toEqual({ hash: liveHash, agent: compiledAgent() });
  expect(await liveVersion(store.db, mine, 'nobody')).toBeUndefined();
});
