import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

function run(script: string, ...args: string[]): Promise<{ status: number; output: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [script, ...args], (_error, stdout, stderr) => {
      resolve({ status: child.exitCode ?? -1, output: stdout + stderr });
    });
  });
}

test('the agents that ship pass', async () => {
  const { status, output } = await run('scripts/parley.ts', 'agents', 'validate');
  expect(output).toContain('2 agents without errors, 0 errors, 0 warnings.');
  expect(status).toBe(0);
});

test('each fault is a line that an editor can jump to, and the command fails', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-validate-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'desk.yaml'), 'name: Desk\nprompt: x\nlanguages: [{ code: en, name: E }]\nlimit: {}\n');
  const { status, output } = await run('scripts/parley.ts', 'agents', 'validate', '--agents', folder);
  expect(output).toMatch(/desk\.yaml:4:1 {2}There is no field "limit"\. Did you mean "limits"\? \[unknown-field\]\n/);
  expect(output).toContain('0 agents without errors, 1 error, 0 warnings.');
  expect(status).toBe(1);
});

test('each rule that a check names is explained in docs/write-agents/rules.md', async () => {
  const page = await readFile('docs/write-agents/rules.md', 'utf8');
  const files = globSync([
    'services/contract/wording.ts',
    'services/agent-files/{check/*,read/{document,folder},definition/localized,check-files,load}.ts',
  ]);
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  const named = [/\brule(?:: | = )'([a-z-]+)'/g, /\bwholeFile\([^']*?,\s*'([a-z-]+)'/g, /\bproblem\('([a-z-]+)'/g];
  const rules = texts.flatMap((text) =>
    named.flatMap((shape) => [...text.matchAll(shape)].map(([, rule = '']) => rule)),
  );
  expect(rules.length).toBeGreaterThan(40);
  expect(rules.filter((rule) => !page.includes(`\`${rule}\``))).toEqual([]);
});

test('a key that a provider needs and that is not there is a warning', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-validate-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(
    join(folder, 'desk.yaml'),
    'name: Desk\nprompt: x\nlanguages: [{ code: en, name: E }]\nspeech: { recognition: [{ provider: deepgram, apiKey: { env: NOBODY_SETS_THIS } }] }\n',
  );
  const { status, output } = await run('scripts/parley.ts', 'agents', 'validate', '--agents', folder);
  expect(output).toMatch(
    /desk\.yaml:1:1 {2}warning: Recognition by deepgram needs a key, and NOBODY_SETS_THIS is not set.* \[provider-key\]\n/,
  );
  expect(status).toBe(0);
});

test('the generated types are current', async () => {
  expect(await run('scripts/generate.ts', '--check')).toEqual({ status: 0, output: '' });
});
