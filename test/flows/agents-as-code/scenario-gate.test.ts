import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Values } from '../../../services/settings/settings.ts';
import { sql } from '../../../services/store/sql.ts';
import type { RevisionRow } from '../../../services/store/tables/agent-revisions.ts';
import { eventually } from '../../support/eventually.ts';
import { type OpenAIServer, startOpenAIServer } from '../../support/stand-ins/openai-server.ts';
import type { ServiceProcess } from '../../support/world/service-process.ts';
import { startWorld, type World } from '../../support/world/world.ts';

/** Scenarios run at a lower priority than all else, on machines that may be busy. */
const patience = { withinMs: 90_000 };

let world: World;
let echo: string;

const file = (name: string) => join(world.agentsFolder, name);
const scenario = (said: string) =>
  `scenarios:\n  - name: it repeats\n    turns:\n      - say: blue\n        expect: { text: "${said}" }\n`;

interface Live {
  agent: string;
  name: string;
}

const live = async (name: string): Promise<string | undefined> => {
  const rows = await world.admin.query<Live>(sql`
    select a.agent, v.definition ->> 'name' as name from agents a
    join agent_versions v on v.agent = a.agent and v.hash = a.version_hash`);
  return rows.find(({ agent }) => agent === name)?.name;
};
const liveAs = (agent: string, name: string) =>
  eventually(`the live ${agent} is called ${name}`, async () => (await live(agent)) === name, patience);
const workerSaid = (pattern: RegExp) =>
  eventually(
    `the worker says ${pattern}`,
    () => pattern.test(world.workers.map((worker) => worker.output()).join('')),
    patience,
  );
/** Agents whose live version has passed. */
const passes = () =>
  world.admin.query<{ agent: string }>(
    sql`select agent from scenario_passes p where exists (select 1 from agents a where a.agent = p.agent and a.version_hash = p.version_hash)`,
  );
const newest = async () =>
  (await world.admin.query<RevisionRow>(sql`select * from agent_revisions order by id desc limit 1`))[0];
const metric = async (name: string) =>
  (await (await fetch(`http://127.0.0.1:${world.workers[0]?.internalPort}/metrics`)).text())
    .split('\n')
    .find((line) => line.startsWith(`${name} `));

/** The agent under another name, whose rule says other words. */
const saying = (name: string, words: string) =>
  echo.replace('name: Echo', `name: ${name}`).replaceAll('You said: {{words}}', `${words}: {{words}}`);

async function begin(settings: Values, workers = 1): Promise<void> {
  world = await startWorld({ hosts: 0, apis: 0, workers, settings });
  echo = await readFile(file('echo.yaml'), 'utf8');
  await liveAs('echo', 'Echo');
  await mkdir(file('scenarios'));
}

describe('a revision', () => {
  beforeAll(() => begin({}));
  afterAll(() => world?.[Symbol.asyncDispose]());

  test('whose new version passes its scenarios goes live, and the pass is stored', async () => {
    await writeFile(file('scenarios/echo.yaml'), scenario('You said: blue'));
    await writeFile(file('echo.yaml'), saying('Renamed', 'You said'));
    await liveAs('echo', 'Renamed');
    expect(await passes()).toEqual([{ agent: 'echo' }]);
  });

  test('that breaks a scenario is refused with the place, what was expected and what was said; the last one stays', async () => {
    await writeFile(file('echo.yaml'), saying('Broken', 'I heard'));
    await workerSaid(
      /scenarios\/echo\.yaml:4:9.*it repeats.*turn 1, after \\"blue\\": expected the text \\"You said: blue\\"; got \\"I heard: blue\\"/,
    );
    await workerSaid(/the agents were refused/);
    expect(await live('echo')).toBe('Renamed');
    expect(await newest()).toMatchObject({
      state: 'refused',
      reasons: [{ file: 'scenarios/echo.yaml', line: 4, message: expect.stringContaining('I heard: blue') }],
    });
    await writeFile(file('echo.yaml'), saying('Mended', 'You said'));
    await liveAs('echo', 'Mended');
  });

  test('that goes back to a version that was live is never blocked, whatever the scenarios say by now', async () => {
    await writeFile(file('scenarios/echo.yaml'), scenario('something else'));
    await writeFile(file('echo.yaml'), saying('Renamed', 'You said'));
    await liveAs('echo', 'Renamed');
  });

  test('that is live without passing its scenarios as they are now is warned of, until it passes', async () => {
    const failing = { file: 'scenarios/echo.yaml', line: 4, message: expect.stringContaining('something else') };
    const warned = async (warnings: unknown[]) =>
      eventually(
        'the revision has its warnings',
        async () => {
          expect(await newest()).toMatchObject({ state: 'active', reasons: [], warnings });
          return true;
        },
        patience,
      );
    await warned([failing]);
    await workerSaid(/"place":"scenarios\/echo\.yaml:4:9".*a warning about live agents/);
    expect(await metric('parley_agents_failing_scenarios')).toBe('parley_agents_failing_scenarios 1');
    await writeFile(file('scenarios/echo.yaml'), scenario('You said'));
    await warned([]);
    await eventually('nothing fails', async () => (await metric('parley_agents_failing_scenarios'))?.endsWith(' 0'));
    expect(await live('echo')).toBe('Renamed');
  });
});

describe('a revision that is activated by agent', () => {
  beforeAll(() => begin({ activation: 'by-agent' }));
  afterAll(() => world?.[Symbol.asyncDispose]());

  test("is held back for the agents that fail, and another agent's fix goes live", async () => {
    await writeFile(file('second.yaml'), saying('Second', 'You said'));
    await liveAs('second', 'Second');
    await writeFile(file('scenarios/echo.yaml'), scenario('You said: blue'));
    await writeFile(file('scenarios/third.yaml'), scenario('You said: blue'));
    await writeFile(file('echo.yaml'), saying('Broken', 'I heard'));
    await writeFile(file('third.yaml'), saying('Third', 'I heard'));
    await writeFile(file('second.yaml'), saying('Fixed', 'You said'));
    await liveAs('second', 'Fixed');
    await workerSaid(/some agents were held back/);
    expect(await live('echo')).toBe('Echo');
    expect(await live('third')).toBeUndefined();
    const [row] = await world.admin.query<{ gone: boolean }>(
      sql`select deleted_at is not null as gone from agents where agent = 'echo'`,
    );
    expect(row).toEqual({ gone: false });
    const revision = await newest();
    expect(revision?.state).toBe('active');
    expect(revision?.reasons).toContainEqual(
      expect.objectContaining({ file: 'scenarios/third.yaml', line: 4, column: 9 }),
    );
    await eventually('the metrics say how many are held back', async () =>
      (await metric('parley_agents_held_back'))?.endsWith(' 2'),
    );
  });
});

describe('a revision that two workers find', () => {
  let model: OpenAIServer;

  beforeAll(async () => {
    model = await startOpenAIServer();
    await begin({ scenarioModel: 'declared' }, 2);
  });
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
    await model?.[Symbol.asyncDispose]();
  });

  /** An agent on the model, with a scenario of one turn. */
  const addThinker = async (agent: string) => {
    await writeFile(file(`scenarios/${agent}.yaml`), scenario('blue'));
    const onModel = `model: { provider: openai, name: test-model, baseUrl: "${model.baseUrl}" }`;
    const text = echo.replace('name: Echo', `name: ${agent}`).replace('model: { provider: scripted }', onModel);
    await writeFile(file(`${agent}.yaml`), text.slice(0, text.indexOf('script:')));
  };
  const runsScenarios = async ({ pid }: ServiceProcess) =>
    (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim() !== '';

  test('runs its scenarios once: who comes second finds what has passed', async () => {
    model.reply(() => ({ text: 'It is blue.' }));
    await addThinker('first');
    await eventually(
      'both workers have judged it',
      () => world.workers.every((worker) => /"agents":2,.*the agents are live/.test(worker.output())),
      patience,
    );
    expect(await live('first')).toBe('first');
    expect(model.requests).toHaveLength(1);
  });

  test('goes live although the worker that runs its scenarios is killed: the other one runs them', async () => {
    const asked = model.requests.length;
    const hangs = new Promise<never>(() => undefined);
    model.reply(({ number }) => (number === asked + 1 ? hangs : { text: 'It is blue.' }));
    await addThinker('second');
    await eventually('a scenario waits for the model', () => model.requests.length > asked);
    const running = await Promise.all(world.workers.map(runsScenarios));
    expect(running.filter(Boolean)).toHaveLength(1);
    expect(await live('second')).toBeUndefined();
    await world.workers[running.indexOf(true)]?.kill();
    await liveAs('second', 'second');
    expect(await passes()).toContainEqual({ agent: 'second' });
  });
});
