import { chmod, mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { makeVault } from '../../core/credentials/vault.ts';
import type { Owed } from '../../store/tables/owed.ts';
import { OwedFile } from './owed-file.ts';
import { hold, isHeld } from './presence.ts';
import { unseal } from './records.ts';

const disk = vi.hoisted(() => ({ syncs: 0, fault: undefined as Error | undefined }));

vi.mock('node:fs/promises', async (load) => {
  const real = await load<typeof import('node:fs/promises')>();
  return {
    ...real,
    open: async (...args: Parameters<typeof real.open>) => {
      const handle = await real.open(...args);
      const datasync = handle.datasync.bind(handle);
      handle.datasync = async () => {
        disk.syncs += 1;
        if (disk.fault) throw disk.fault;
        await datasync();
      };
      return handle;
    },
  };
});

const vault = makeVault(`k1:${Buffer.alloc(32, 1).toString('base64')}`);
const another = makeVault(`k2:${Buffer.alloc(32, 2).toString('base64')}`);
const at = new Date('2026-03-01T12:00:00Z');

const owedText = (content: string): Owed => ({
  ...{ kind: 'text', tenant: 't', session: 's', key: content, content, at, mode: 'TEXT' },
});

let folder: string;
const opened: OwedFile[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-owed-'));
  Object.assign(disk, { syncs: 0, fault: undefined });
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((file) => file.close()));
  await rm(folder, { recursive: true, force: true });
});

function aFile(limits?: { bytes: number; entries: number }) {
  const problems: unknown[] = [];
  const file = new OwedFile({ folder, vault, onProblem: (error) => problems.push(error), ...(limits && { limits }) });
  opened.push(file);
  return { file, problems };
}

const inFolder = async () => (await readdir(folder)).map((name) => name.replace(/^\w+/, ''));

async function stored(key = vault) {
  const name = (await readdir(folder)).find((one) => one.endsWith('.owed')) ?? '';
  const path = join(folder, name);
  return { path, ...(await unseal(key, path)) };
}

test('what is kept is on the disk, in its order, and nothing of it can be read there', async () => {
  const { file } = aFile();
  const owed = ['one', 'two', 'three'].map(owedText);
  await Promise.all(owed.map((one) => file.keep(one).written));
  const { path, ...records } = await stored();
  expect(records).toEqual({ owed, unreadable: 0 });
  expect(await readFile(path, 'utf8')).not.toMatch(/one|two|three/);
});

test('what comes together shares one fsync', async () => {
  const { file } = aFile();
  const first = file.keep(owedText('first')).written;
  await first;
  const before = disk.syncs;
  await Promise.all(Array.from({ length: 100 }, (_, index) => file.keep(owedText(`${index}`)).written));
  expect(disk.syncs - before).toBe(1);
});

test('the file is gone when everything is made up for, and comes again with the next outage', async () => {
  const { file } = aFile();
  const [one, two] = [file.keep(owedText('one')), file.keep(owedText('two'))];
  await Promise.all([one.written, two.written]);
  one.forget();
  expect((await stored()).owed).toHaveLength(2);
  two.forget();
  await vi.waitFor(async () => expect(await inFolder()).toEqual([]));
  await file.keep(owedText('three')).written;
  expect((await stored()).owed).toEqual([owedText('three')]);
});

test('what is made up for before it was written touches no disk', async () => {
  const { file } = aFile();
  const one = file.keep(owedText('one'));
  one.forget();
  await one.written;
  expect([disk.syncs, await inFolder()]).toEqual([0, []]);
});

test('a file that nothing is owed in any more is gone when its process ends, another one stays', async () => {
  const [{ file: done }, { file: owing }] = [aFile(), aFile()];
  const [one, two] = [done.keep(owedText('one')), owing.keep(owedText('two'))];
  await Promise.all([one.written, two.written]);
  one.forget();
  await Promise.all([done.close(), owing.close()]);
  expect(await inFolder()).toEqual(['.owed']);
});

test.for([
  ['entries', { bytes: 1_000_000, entries: 2 }],
  ['bytes', { bytes: 300, entries: 1_000 }],
] as const)('it is full at its number of %s, and takes in again when all is made up for', async ([, limits]) => {
  const { file } = aFile(limits);
  const one = file.keep(owedText('one'));
  await one.written;
  expect(file.full).toBe(false);
  const two = file.keep(owedText('two'));
  await two.written;
  expect(file.full).toBe(true);
  one.forget();
  two.forget();
  await vi.waitFor(() => expect(file.full).toBe(false));
});

test('a record that a crash has torn is left out; those before it are whole', async () => {
  const { file } = aFile();
  await Promise.all(['one', 'two'].map((text) => file.keep(owedText(text)).written));
  const { path } = await stored();
  await truncate(path, (await readFile(path)).length - 5);
  expect(await stored()).toEqual({ path, owed: [owedText('one')], unreadable: 0 });
});

test('without the master key nothing can be read; a line that was changed or moved is not taken for what it was', async () => {
  const { file } = aFile();
  await Promise.all(['one', 'two'].map((text) => file.keep(owedText(text)).written));
  const { path } = await stored();
  expect(await stored(another)).toEqual({ path, owed: [], unreadable: 2 });
  const [first = '', second = ''] = (await readFile(path, 'utf8')).split('\n');
  await writeFile(path, `${second}\n${first}\n`);
  expect(await stored()).toEqual({ path, owed: [], unreadable: 2 });
});

describe('a disk that fails', () => {
  test('at fsync: it is said once, nobody waits, and nothing more is appended until all is made up for', async () => {
    const { file, problems } = aFile();
    disk.fault = Object.assign(new Error('EIO'), { code: 'EIO' });
    const one = file.keep(owedText('one'));
    await one.written;
    disk.fault = undefined;
    const two = file.keep(owedText('two'));
    await two.written;
    expect([problems.length, disk.syncs]).toEqual([1, 1]);
    one.forget();
    two.forget();
    await vi.waitFor(async () => expect(await inFolder()).toEqual([]));
    await file.keep(owedText('three')).written;
    expect((await stored()).owed).toEqual([owedText('three')]);
  });

  test('by not being there: it is said once, and nobody waits', async () => {
    await rm(folder, { recursive: true });
    const { file, problems } = aFile();
    await file.keep(owedText('one')).written;
    await file.keep(owedText('two')).written;
    expect(problems).toHaveLength(1);
  });

  test.skipIf(process.getuid?.() === 0)('by being read-only: it is said once, and nobody waits', async () => {
    await chmod(folder, 0o500);
    const { file, problems } = aFile();
    await file.keep(owedText('one')).written;
    expect(problems).toHaveLength(1);
  });
});

test('a file is held as long as its process lives, and not by one that has ended', async () => {
  const path = join(folder, 'a.here');
  expect(await isHeld(path)).toBe(false);
  const presence = await hold(path);
  expect(await isHeld(path)).toBe(true);
  presence.close();
  await vi.waitFor(async () => expect(await isHeld(path)).toBe(false));
});

test('whether a file is held is not guessed where the system does not say', async () => {
  const path = join(folder, 'a.here');
  // To nobody a socket, whoever asks; a folder of another user's would answer EACCES.
  await symlink(path, path);
  await expect(isHeld(path)).rejects.toThrow('ELOOP');
});

test('a large file is opened piece by piece: whatever else the process does goes on meanwhile', async () => {
  const { file } = aFile();
  const texts = Array.from({ length: 2_000 }, (_, index) => owedText(`text ${index}`));
  await Promise.all(texts.map((text) => file.keep(text).written));
  let turns = 0;
  let isOver = false;
  const others = () => {
    turns += 1;
    if (!isOver) setImmediate(others);
  };
  setImmediate(others);
  const { owed, path } = await stored();
  isOver = true;
  expect(owed).toEqual(texts);
  expect(turns).toBeGreaterThan((await readFile(path)).length / 100_000);
});
