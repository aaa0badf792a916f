import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadAgents } from '../../../services/agent-files/load.ts';
import { draftAgent, idOf } from './new/draft.ts';

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-new-agent-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function run(...args: string[]): Promise<{ status: number; output: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, ['scripts/parley.ts', ...args], (_error, stdout, stderr) => {
      resolve({ status: child.exitCode ?? -1, output: stdout + stderr });
    });
    child.stdin?.end();
  });
}

const create = (folder: string, ...args: string[]) => run('agents', 'new', '--agents', folder, ...args);

const lifts = ['--name', 'Lift Service', '--purpose', 'You take reports about lifts: "stuck" ones first.'];

test('four answers make an agent and scenarios that are valid and pass', async () => {
  const folder = await emptyFolder();
  const { status, output } = await create(folder, ...lifts, '--languages', 'en,de,pt-BR');
  expect([status, output]).toEqual([0, expect.stringContaining('lift-service.yaml')]);
  expect((await readdir(folder)).toSorted()).toEqual(['lift-service.yaml', 'scenarios']);
  const { agents, faults, scenarios } = await loadAgents(folder);
  expect(faults).toEqual([]);
  expect(agents[0]?.agent).toMatchObject({ name: 'Lift Service', defaultLanguage: 'en', interactionMode: 'TEXT' });
  expect(agents[0]?.agent.filler?.say).toMatchObject({ de: 'Einen Moment bitte.' });
  expect(agents[0]?.agent.prompt).toContain('lifts: "stuck" ones');
  expect(scenarios[0]?.scenarios).toHaveLength(3);
  expect((await run('agents', 'validate', '--agents', folder)).status).toBe(0);
  expect(await run('scenarios', 'run', '--agents', folder)).toMatchObject({ status: 0 });
});

test('an agent that is there is not overwritten', async () => {
  const folder = await emptyFolder();
  await create(folder, ...lifts);
  await writeFile(join(folder, 'lift-service.yaml'), '# mine\n');
  const { status, output } = await create(folder, ...lifts);
  expect([status, output]).toEqual([1, expect.stringContaining('is there already; choose another name')]);
  expect(await readFile(join(folder, 'lift-service.yaml'), 'utf8')).toBe('# mine\n');
});

test('an agent may be given the tools of the folder', async () => {
  const folder = await emptyFolder();
  await cp('agents/tools', join(folder, 'tools'), { recursive: true });
  expect((await create(folder, ...lifts, '--tools', 'look_up_order')).status).toBe(0);
  expect((await loadAgents(folder)).agents[0]?.agent.tools.map(({ name }) => name)).toEqual(['look_up_order']);
});

test.each([
  [['--purpose', 'x'], 'Say --name'],
  [['--name', '…', '--purpose', 'x'], 'needs a letter or a digit'],
  [['--name', 'Policies', '--purpose', 'x'], 'is no agent'],
  [[...lifts, '--languages', 'english!'], '"english!" is no language code'],
  [[...lifts, '--languages', 'de,deutsch'], '"deutsch" is no language code'],
  [[...lifts, '--languages', 'xx'], '"xx" is no language code'],
  [[...lifts, '--tools', 'end_cal'], 'Did you mean "end_call"?'],
  [['--name', 'x', '--purpose', 'It is {{dat}}.'], 'Did you mean {{date}}?'],
])('what cannot be is refused, and nothing is written: %j', async (args, message) => {
  const folder = await emptyFolder();
  const { status, output } = await create(folder, ...args);
  expect([status, output]).toEqual([1, expect.stringContaining(message)]);
  expect(await readdir(folder)).toEqual([]);
});

test('an id is made from any name', () => {
  expect(['Café Müller & Söhne', '  A--B  ', '日本', 'x'.repeat(80)].map(idOf)).toEqual([
    'cafe-muller-sohne',
    'a-b',
    '',
    'x'.repeat(63),
  ]);
});

test('editors find the schemas from the first line', () => {
  const answers = { name: 'A', purpose: 'B', languages: ['en'], tools: [] };
  const { agent, scenarios } = draftAgent(answers, '../schemas');
  expect(agent.split('\n')[0]).toBe('# yaml-language-server: $schema=../schemas/agent.schema.json');
  expect(scenarios.split('\n')[0]).toBe('# yaml-language-server: $schema=../../schemas/scenario.schema.json');
});
