import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { blobId, type FullChange, folderWriter } from './writers.ts';

const desk = `# The desk of the house.
name:   Desk   # as people see it
prompt: |
  Be kind.
languages:
  - { code: en, name: English }
`;
const kinder = desk.replace('Be kind.', 'Be kinder.');
const options = { environment: 'development', webhookEnabled: false, policies: [] } as const;

async function folderWith(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-writer-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'desk.yaml'), text);
  return folder;
}

const change = (given: Partial<FullChange> = {}): FullChange => ({
  ...{ id: '11111111-2222-4333-8444-555555555555', agent: 'desk', person_id: 'p', author: 'Ada', kind: 'prompt' },
  ...{ wanted: { prompt: 'Be kinder.' }, message: 'Kinder', edited_file_id: blobId(desk), is_direct: true },
  ...{ state: 'pending', attempts: 1, problem: null, branch: null, commit: null, file_id: null, fell_back: false },
  ...{ activation: null, reasons: [], link: null, created_at: new Date(0), settled_at: null },
  ...given,
});

test('the prompt alone is another in the file, which keeps its comments, its mode and its neighbours', async () => {
  const folder = await folderWith(desk);
  await chmod(join(folder, 'desk.yaml'), 0o640);
  const written = await folderWriter(folder)(change(), options);
  expect(await readFile(join(folder, 'desk.yaml'), 'utf8')).toBe(kinder);
  expect(written).toEqual({ commit: null, branch: null, fileId: blobId(kinder), fellBack: false, link: null });
  expect((await stat(join(folder, 'desk.yaml'))).mode & 0o777).toBe(0o640);
  expect(await readdir(folder)).toEqual(['desk.yaml']);
});

test('a file that is a link stays one: what it leads to is written', async () => {
  const folder = await folderWith(desk);
  await mkdir(join(folder, 'kept'));
  await rename(join(folder, 'desk.yaml'), join(folder, 'kept', 'desk.txt'));
  await symlink(join('kept', 'desk.txt'), join(folder, 'desk.yaml'));
  await folderWriter(folder)(change(), options);
  expect((await lstat(join(folder, 'desk.yaml'))).isSymbolicLink()).toBe(true);
  expect(await readFile(join(folder, 'kept', 'desk.txt'), 'utf8')).toBe(kinder);
});

test('what somebody else has written meanwhile is not overwritten', async () => {
  const theirs = desk.replace('Be kind.', 'Be strict.');
  const folder = await folderWith(theirs);
  await expect(folderWriter(folder)(change(), options)).rejects.toMatchObject({ code: 'prompt_conflict' });
  expect(await readFile(join(folder, 'desk.yaml'), 'utf8')).toBe(theirs);
});

test('a worker that died after it had written says at the next attempt that it is done', async () => {
  const folder = await folderWith(kinder);
  const written = await folderWriter(folder)(change({ attempts: 2 }), options);
  expect(written.fileId).toBe(blobId(kinder));
  await expect(folderWriter(folder)(change({ attempts: 1 }), options)).rejects.toMatchObject({
    code: 'prompt_conflict',
  });
});

test('an agent without a file is told as one', async () => {
  const folder = await folderWith(desk);
  await expect(folderWriter(folder)(change({ agent: 'lift' }), options)).rejects.toMatchObject({
    code: 'agent_not_found',
  });
});
