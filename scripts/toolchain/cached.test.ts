import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cachedFolder } from './cached.ts';

let cache: string;
const progress = () => undefined;
const env = () => ({ PARLEY_CACHE_DIR: cache });

beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), 'parley-cached-'));
});

afterEach(() => rm(cache, { recursive: true }));

test('several at once make a folder once, and a later one finds it', async () => {
  let made = 0;
  const make = async (draft: string) => {
    made += 1;
    await writeFile(join(draft, 'program'), 'content');
  };
  const get = () => cachedFolder({ name: 'tool-1', make, env: env(), progress });
  const folders = await Promise.all([get(), get(), get()]);
  expect(new Set([...folders, await get()])).toEqual(new Set([join(cache, 'tool-1')]));
  expect(await readFile(join(cache, 'tool-1', 'program'), 'utf8')).toBe('content');
  expect(made).toBe(1);
});

test('what could not be completed leaves nothing behind, and is tried again', async () => {
  const failing = async (draft: string) => {
    await writeFile(join(draft, 'half'), '');
    throw new Error('the network went away');
  };
  await expect(cachedFolder({ name: 'tool-1', make: failing, env: env(), progress })).rejects.toThrow('network');
  expect(await readdir(cache)).toEqual([]);
  await cachedFolder({ name: 'tool-1', make: async () => undefined, env: env(), progress });
  expect(await readdir(cache)).toEqual(['tool-1']);
});
