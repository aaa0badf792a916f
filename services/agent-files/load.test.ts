import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadAgents, maxFilesInFolder } from './load.ts';

const agent = 'name: Desk\nprompt: Be kind.\nlanguages: [{ code: en, name: English }]\n';

async function folderWith(files: Record<string, string | Buffer>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-agents-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

test('a folder that cannot be read is a fault, and is not taken for empty', async () => {
  const folder = await folderWith({ 'desk.yaml': agent });
  await writeFile(join(folder, 'scenarios'), 'a file where the folder should be');
  const { faults } = await loadAgents(folder);
  expect(faults).toMatchObject([{ file: 'scenarios', rule: 'folder', severity: 'error' }]);
  expect((await loadAgents(join(folder, 'desk.yaml'))).faults).toMatchObject([
    { file: '.', rule: 'folder', severity: 'error' },
  ]);
});

test('a folder gives its agents, whatever else lies in it', async () => {
  const folder = await folderWith({
    'desk.yaml': `${agent}knowledge: [a.md]\n`,
    'knowledge/a.md': '\ufeffHello',
    'README.md': 'Not an agent.',
    '.desk.yaml.swp': 'x',
    'notes/other.yaml': ': not read',
  });
  const { agents, faults } = await loadAgents(folder);
  expect(faults).toEqual([]);
  expect(agents.map((version) => version.agent.knowledge)).toEqual(['Hello']);
});

test('a folder that is not there, or empty, says so', async () => {
  const empty = await folderWith({});
  expect((await loadAgents(join(empty, 'nowhere'))).faults).toMatchObject([{ rule: 'folder', severity: 'error' }]);
  expect((await loadAgents(empty)).faults).toMatchObject([{ rule: 'folder', severity: 'warning' }]);
});

test('a link may lead around inside the folder and not out of it', async () => {
  const outside = await folderWith({ 'secret.md': 'secret' });
  const folder = await folderWith({ 'data/desk.yaml': `${agent}knowledge: [a.md]\n`, 'knowledge/real.md': 'x' });
  await symlink(join('data', 'desk.yaml'), join(folder, 'desk.yaml'));
  await symlink(join(outside, 'secret.md'), join(folder, 'knowledge', 'a.md'));
  const { agents, faults } = await loadAgents(folder);
  expect(agents).toEqual([]);
  expect(faults.map(({ file, rule }) => `${file} ${rule}`)).toEqual([
    'desk.yaml knowledge-missing',
    'knowledge/a.md file-outside',
  ]);
});

test('a whole folder that is a link out of it is refused file by file', async () => {
  const outside = await folderWith({ 'find.yaml': 'name: find' });
  const folder = await folderWith({ 'desk.yaml': agent });
  await symlink(outside, join(folder, 'tools'));
  expect((await loadAgents(folder)).faults).toMatchObject([{ file: 'tools/find.yaml', rule: 'file-outside' }]);
});

test('a folder that is itself reached by a link is read', async () => {
  const folder = await folderWith({ 'desk.yaml': agent });
  const place = await folderWith({});
  await symlink(folder, join(place, 'current'));
  expect((await loadAgents(join(place, 'current'))).agents).toHaveLength(1);
});

test('what is no ordinary file, too large, not UTF-8 or gone is told, and the rest is read', async () => {
  const folder = await folderWith({
    'desk.yaml': agent,
    'large.yaml': `${agent}#${'x'.repeat(600 * 1024)}`,
    'latin.yaml': Buffer.from('name: Caf\xe9\n', 'latin1'),
    'old.yml': agent,
    'folder.yaml/x': '',
  });
  execFileSync('mkfifo', [join(folder, 'pipe.yaml')]);
  await symlink('nowhere', join(folder, 'gone.yaml'));
  const { agents, faults } = await loadAgents(folder);
  expect(agents).toHaveLength(1);
  expect(faults.map(({ file, rule }) => `${file} ${rule}`)).toEqual([
    'folder.yaml file-kind',
    'gone.yaml file-unreadable',
    'large.yaml file-size',
    'latin.yaml file-encoding',
    'old.yml file-name',
    'pipe.yaml file-kind',
  ]);
});

test('more files than anybody writes are not read', async () => {
  const files = Object.fromEntries(Array.from({ length: maxFilesInFolder + 1 }, (_, index) => [`a${index}.yaml`, '']));
  const { agents, faults } = await loadAgents(await folderWith(files));
  expect(agents).toEqual([]);
  expect(faults).toMatchObject([{ file: '.', rule: 'too-many-files' }]);
});

test('a thousand agents with a scenario and a tool each are read', async () => {
  const tool = (name: string) => `name: ${name}\ndescription: Finds.\nparameters: { type: object }\nclient: true\n`;
  const files = Array.from({ length: 1_000 }, (_, index) => [
    [`a${index}.yaml`, `${agent}tools: [find_${index}]\n`],
    [`tools/find_${index}.yaml`, tool(`find_${index}`)],
    [`scenarios/a${index}.yaml`, 'scenarios: [{ name: x, turns: [{ say: Hi }] }]\n'],
  ]).flat();
  const { agents, faults, scenarios } = await loadAgents(await folderWith(Object.fromEntries(files)));
  expect(faults).toEqual([]);
  expect([agents.length, scenarios.length]).toEqual([1_000, 1_000]);
});
