import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tryLock, withLock } from './lock.mjs';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-lock-'));
  file = join(folder, 'lock');
});

afterEach(() => rm(folder, { recursive: true }));

test('one at a time holds a lock, and nothing is left behind', async () => {
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise(setImmediate);
    inside -= 1;
  };
  await Promise.all(Array.from({ length: 5 }, () => withLock(file, work)));
  expect(most).toBe(1);
  expect(await readdir(folder)).toEqual([]);
});

test('a lock that is held names its process', async () => {
  const held = await tryLock(file);
  expect(await tryLock(file)).toEqual({ holder: process.pid });
  if ('release' in held) await held.release();
  expect(await tryLock(file)).toHaveProperty('release');
});

test('the lock of a process that was killed is broken', async () => {
  const script = `import(${JSON.stringify(new URL('./lock.mjs', import.meta.url).href)})
    .then(({ tryLock }) => tryLock(${JSON.stringify(file)})).then(() => process.kill(process.pid, 'SIGKILL'))`;
  await once(spawn(process.execPath, ['-e', script]), 'exit');
  expect(await readdir(folder)).toEqual(['lock']);
  expect(await tryLock(file)).toHaveProperty('release');
});

test('a lock whose pid belongs to another process by now is broken', async () => {
  await writeFile(file, JSON.stringify({ pid: process.pid, started: '1', host: hostname(), id: 'x' }));
  expect(await tryLock(file)).toHaveProperty('release');
});

test('a lock that holds nonsense is broken', async () => {
  await writeFile(file, '{"pid":');
  expect(await tryLock(file)).toHaveProperty('release');
});

test('many who find the same stale lock: one gets it', async () => {
  await writeFile(file, JSON.stringify({ pid: 2 ** 22, host: hostname(), id: 'x' }));
  const results = await Promise.all(Array.from({ length: 10 }, () => tryLock(file)));
  expect(results.filter((result) => 'release' in result)).toHaveLength(1);
});
