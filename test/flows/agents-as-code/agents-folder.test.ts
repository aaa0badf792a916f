import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freeTcpPort } from '../../../scripts/toolchain/ports.ts';
import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../../support/eventually.ts';
import { startWorld, type World } from '../../support/world/world.ts';

let world: World;
let echo: string;

beforeAll(async () => {
  world = await startWorld({ hosts: 0, apis: 0, ownPostgres: true });
  echo = await readFile(file('echo.yaml'), 'utf8');
});

afterAll(() => world?.[Symbol.asyncDispose]());

const file = (name: string) => join(world.agentsFolder, name);

interface Agent {
  agent: string;
  version_hash: string;
  name: string;
  deleted_at: Date | null;
}

const agents = () =>
  world.admin.query<Agent>(sql`
    select a.agent, a.version_hash, v.definition ->> 'name' as name, a.deleted_at from agents a
    join agent_versions v on v.agent = a.agent and v.hash = a.version_hash order by a.agent`);

const named = (name: string) =>
  eventually(`the live agent is called ${name}`, async () => (await agents()).find((agent) => agent.name === name));

const workerSaid = (pattern: RegExp) =>
  eventually(`the worker says ${pattern}`, () => pattern.test(world.workers.map((worker) => worker.output()).join('')));

test('a changed file is live at once, and its earlier version again when the change is undone', async () => {
  const before = await named('Echo');
  await writeFile(file('echo.yaml'), echo.replace('name: Echo', 'name: Changed'));
  expect((await named('Changed')).version_hash).not.toBe(before.version_hash);
  await writeFile(file('echo.yaml'), echo);
  expect((await named('Echo')).version_hash).toBe(before.version_hash);
});

test('one faulty file refuses all of the revision, says where the fault is, and leaves what is live alone', async () => {
  await writeFile(file('echo.yaml'), echo.replace('name: Echo', 'name: Better'));
  await named('Better');
  await writeFile(file('broken.yaml'), 'name: Broken\nlanguges: []\n');
  await workerSaid(/broken\.yaml:2:1/);
  await writeFile(file('echo.yaml'), echo.replace('name: Echo', 'name: Best'));
  await workerSaid(/the agents were refused[\s\S]*the agents were refused/);
  expect((await agents()).map(({ name }) => name)).toEqual(['Better']);
  await rm(file('broken.yaml'));
  await named('Best');
});

test("a policy refuses the revision at the field that breaks it, and the policy's end lets it go live", async () => {
  await writeFile(file('policies.yaml'), 'widgetPrompt: {}\ncaps: { tokensPerDay: 1000 }\n');
  await writeFile(file('echo.yaml'), echo.replace('name: Echo', 'name: Capless'));
  await workerSaid(/echo\.yaml:\d+:\d+.*policy:caps|policy:caps.*echo\.yaml:\d+:\d+/);
  expect((await agents()).map(({ name }) => name)).not.toContain('Capless');
  await rm(file('policies.yaml'));
  await named('Capless');
});

test('a deleted file switches its agent off, and putting it back restores it with the same credentials', async () => {
  await writeFile(file('second.yaml'), echo.replace('name: Echo', 'name: Second'));
  await named('Second');
  const { apiKey } = await world.credentials('second');
  await rename(file('second.yaml'), file('second.txt'));
  await eventually('it is off', async () => (await agents()).find(({ agent }) => agent === 'second')?.deleted_at);
  await rename(file('second.txt'), file('second.yaml'));
  await eventually(
    'it is back',
    async () => (await agents()).find(({ agent }) => agent === 'second')?.deleted_at === null,
  );
  const keys = await world.admin.query(sql`select 1 from agent_keys where agent = 'second'`);
  expect(keys).toHaveLength(1);
  expect((await world.credentials('second')).apiKey).toBe(apiKey);
});

test('an empty folder switches nobody off', async () => {
  await rename(file('echo.yaml'), file('echo.txt'));
  await rm(file('second.yaml'), { force: true });
  await workerSaid(/the agents were refused/);
  expect((await agents()).some(({ deleted_at }) => deleted_at === null)).toBe(true);
  await rename(file('echo.txt'), file('echo.yaml'));
});

test('a revision that changes while PostgreSQL is away is live when it is back', async () => {
  await world.postgres.stop();
  await writeFile(file('echo.yaml'), echo.replace('name: Echo', 'name: Patient'));
  await workerSaid(/could not be published/);
  await world.postgres.start();
  await named('Patient');
});

test('the internal port answers probes and metrics, and the process ends in order', async () => {
  const [worker] = world.workers;
  const port = /"internalPort":(\d+)/.exec(worker?.output() ?? '')?.[1] ?? (await freeTcpPort());
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  expect((await get('/livez')).status).toBe(200);
  expect((await get('/readyz')).status).toBe(200);
  expect((await get('/nothing')).status).toBe(404);
  const metrics = await (await get('/metrics')).text();
  expect(metrics).toContain('parley_agents_revision_refused 0');
  await worker?.stop();
  expect(worker?.output()).toContain('"clean":true');
});
