import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

function run(...args: string[]): Promise<{ status: number; output: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ['scripts/parley.ts', 'scenarios', 'run', ...args],
      (_error, stdout, stderr) => {
        resolve({ status: child.exitCode ?? -1, output: stdout + stderr });
      },
    );
  });
}

async function folderWith(scenarios: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-scenarios-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp('agents', folder, { recursive: true });
  await writeFile(join(folder, 'scenarios/support.yaml'), scenarios);
  return folder;
}

test('a named agent runs alone, and passes', async () => {
  const { status, output } = await run('agents/scenarios/support.yaml');
  expect(output).toMatch(/^ok {5} support: an order is looked up by its number {2}\(\d+ ms\)$/m);
  expect(output).toContain('4 passed, 0 failed');
  expect(output).not.toContain('restaurant');
  expect(status).toBe(0);
});

test('what fails is told with its line, what was expected and what was said, in words and as JUnit XML', async () => {
  const folder = await folderWith(
    'scenarios:\n  - name: it <greets> & smiles\n    turns:\n      - say: Hello\n        expect: { text: smile }\n',
  );
  const junit = join(folder, 'junit.xml');
  const { status, output } = await run('support', '--agents', folder, '--junit', junit);
  expect(output).toMatch(/support\.yaml:4:9 {2}turn 1, after "Hello"\n +expected {2}the text "smile"\n +got {7}"/);
  expect(output).toContain('0 passed, 1 failed');
  expect(status).toBe(1);
  const xml = await readFile(junit, 'utf8');
  expect(xml).toContain('<testcase classname="support" name="it &lt;greets&gt; &amp; smiles"');
  expect(xml).toContain('<failure message="expected the text &quot;smile&quot;">In turn 1, after &quot;Hello&quot;');
  expect(xml).toContain('<testsuites tests="1" failures="1" errors="0" skipped="0"');
});

test('faults in the files, unknown names and wrong options are told and run nothing', async () => {
  const folder = await folderWith('scenarios:\n  - name: x\n    turns: [{ say: Hi, expect: { txt: a } }]\n');
  const faulty = await run('--agents', folder);
  expect(faulty).toMatchObject({
    status: 2,
    output: expect.stringMatching(/support\.yaml:3:\d+ {2}There is no field "txt"/),
  });
  const unknown = await run('suport');
  expect(unknown).toMatchObject({ status: 2, output: expect.stringContaining('no scenarios of an agent "suport"') });
  expect(await run('--repeat', 'x')).toMatchObject({ status: 2 });
  expect(await run('--help')).toMatchObject({
    status: 0,
    output: expect.stringContaining('Usage: parley scenarios run'),
  });
});
