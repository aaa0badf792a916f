import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** biome.json names them; the linter refuses to begin without them. */
const plugins = [
  'services/process/silent-catch.grit',
  'services/process/hand-made-wait.grit',
  'services/web/client/by-hand.grit',
];

/** What the linter says about a project with our rules and these files, the text of each by its path. */
async function lint(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-lint-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    for (const file of ['biome.json', ...plugins]) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await copyFile(join(root, file), join(folder, file));
    }
    const biome = join(root, 'node_modules', '.bin', 'biome');
    return await outputOf(spawn(biome, ['lint', '--colors=off', '.'], { cwd: folder }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function outputOf(child: ChildProcessWithoutNullStreams): Promise<string> {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  await once(child, 'close');
  return output;
}

const forbidden = [
  ['services/process/x.ts', '../contract/problems.ts'],
  ['services/contract/x.ts', '../store/sql.ts'],
  ['services/process/x.ts', '../settings/settings.ts'],
  ['services/settings/x.ts', '../agent-files/load.ts'],
  ['services/settings/subjects/x.ts', '../../core/credentials/vault.ts'],
  ['services/agent-files/check/x.ts', '../../store/sql.ts'],
  ['services/store/x.ts', '../core/sessions/ids.ts'],
  ['services/core/sessions/x.ts', '../../api/config.ts'],
  ['services/core/sessions/x.ts', '../../scenario-runner/run-jobs.ts'],
  ['services/core/x.ts', 'express'],
  ['services/api/x.ts', '../agent/config.ts'],
  ['services/agent/room/x.ts', '../../worker/main.ts'],
  ['services/worker/x.ts', '../api/config.ts'],
  ['services/worker/agents/x.ts', '../../scenario-runner/run-jobs.ts'],
  ['services/scenario-runner/x.ts', '../worker/main.ts'],
  ['services/web/try/x.ts', '../../store/sql.ts'],
  ['services/web/client/x.ts', '../../core/sessions/ids.ts'],
  ['infra/x.ts', '../services/core/sessions/ids.ts'],
  ['services/core/x.ts', '../../scripts/start.ts'],
  ['services/core/x.ts', '../../test/support/databases/postgres.ts'],
] as const;

test.for(forbidden)('%s may not import %s', async ([path, imported]) => {
  expect(await lint({ [path]: `export { x } from '${imported}';\n` })).toContain('noRestrictedImports');
});

const allowed = [
  ['services/settings/subjects/x.ts', '../../process/environment.ts'],
  ['services/agent-files/check/x.ts', '../../settings/settings.ts'],
  ['services/core/git/x.ts', '../../settings/git-address.ts'],
  ['infra/plan/x.ts', '../../services/settings/write.ts'],
  ['services/agent-files/check/x.ts', '../../contract/problems.ts'],
  ['services/store/x.ts', '../contract/problems.ts'],
  ['services/core/agents/x.ts', '../../agent-files/scenarios/report.ts'],
  ['services/core/sessions/x.ts', '../../store/sql.ts'],
  ['services/api/agent-routes/x.ts', '../../core/sessions/ids.ts'],
  ['services/agent/x.ts', '../core/sessions/ids.ts'],
  ['services/worker/x.ts', '../core/sessions/ids.ts'],
  ['services/worker/agents/x.ts', '../../scenario-runner/child-process.ts'],
  ['services/scenario-runner/x.ts', '../agent/tools/validate.ts'],
  ['services/web/try/x.ts', '../client/shapes.ts'],
  ['infra/x.ts', '../services/agent-files/load.ts'],
  ['scripts/x.ts', '../services/store/migrate.ts'],
] as const;

test.for(allowed)('%s may import %s', async ([path, imported]) => {
  const output = await lint({ [path]: `export { x } from '${imported}';\n` });
  expect(output).toMatch(/Checked \d file/);
  expect(output).not.toContain('noRestrictedImports');
});

test('files do not import each other in a circle, not even for a type', async () => {
  const output = await lint({
    'services/web/try/page.ts': "import { part } from './part.ts';\n\nexport type Props = { part: typeof part };\n",
    'services/web/try/part.ts':
      "import type { Props } from './page.ts';\n\nexport const part = (props: Props) => props;\n",
  });
  expect(output).toContain('noImportCycles');
});

test('a failure that nobody hears of needs its reason, also behind a question mark', async () => {
  const text = 'export const leave = (work?: Promise<void>) => void work?.catch(() => undefined);\n';
  expect(await lint({ 'services/core/x.ts': text })).toContain('Say why this may fail');
});

const ofPages = [
  ['a pause', 'export const x = new Promise((done) => {\n  setTimeout(() => done(1), 5);\n});\n', 'Wait with sleep'],
  ['a pause in a line', 'export const x = new Promise((resolve) => setTimeout(resolve, 5));\n', 'Wait with sleep'],
  ['storage', "export const x = () => localStorage.getItem('x');\n", 'storedText or storedJson'],
  ['storage of a tab', "export const x = () => window.sessionStorage.getItem('x');\n", 'storedText or storedJson'],
  ['silence', "export const x = (work: Promise<string>) => work.catch(() => '');\n", 'Say why this may fail'],
  [
    'silence after it',
    'export const x = (work: Promise<string>) => work.then(String, () => undefined);\n',
    'Say why this may fail',
  ],
] as const;

test.for(ofPages)('a page makes %s with what pages share', async ([, text, said]) => {
  for (const file of ['services/web/widget/app/x.ts', 'services/web/dashboard/parts/x.tsx'])
    expect(await lint({ [file]: text }), file).toContain(said);
});
