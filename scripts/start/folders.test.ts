import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openFolders, requireAgentsFolder } from './folders.ts';

let place: string;
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'parley-folders-'));
  await writeFile(join(place, 'file'), '');
});
afterAll(() => rm(place, { recursive: true, force: true }));

test.for(['file', 'file/below'])(
  'a data folder that cannot be one (%s) gives a sentence that names the option',
  async (path) => {
    await expect(openFolders(join(place, path))).rejects.toThrow(/--data or PARLEY_DATA_DIR\) is not a folder: remove/);
  },
);

test.for(['none', 'file'])('agents that are in no folder (%s) are told at once', async (path) => {
  await expect(requireAgentsFolder(join(place, path))).rejects.toThrow(/--agents or PARLEY_AGENTS_DIR\): make it/);
});
