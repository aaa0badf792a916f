import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { endRecorded, readRecord, startOf, writeRecord } from './processes.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-records-'));
  file = join(folder, 'record.json');
});

afterEach(() => rm(folder, { recursive: true }));

const sleeper = () => spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);

test('a recorded process is found and ended', async () => {
  const child = sleeper();
  const pid = child.pid ?? 0;
  await writeRecord(file, pid);
  expect(await readRecord(file)).toMatchObject({ pid });
  const exit = once(child, 'exit');
  expect(await endRecorded(file, 'SIGKILL', 1_000)).toBe(true);
  expect(await exit).toEqual([null, 'SIGKILL']);
  expect(await startOf(pid)).toBeUndefined();
});

test('another process that got the pid is left alone', async () => {
  const child = sleeper();
  await writeRecord(file, child.pid ?? 0);
  const record = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify({ ...record, started: `${record.started}0` }));
  expect(await endRecorded(file, 'SIGKILL', 1_000)).toBe(false);
  expect(await startOf(child.pid ?? 0)).toBeDefined();
  child.kill('SIGKILL');
});

test('a record that is missing or broken ends nothing', async () => {
  expect(await endRecorded(file, 'SIGKILL', 1_000)).toBe(false);
  await writeFile(file, '{"pid":');
  expect(await endRecorded(file, 'SIGKILL', 1_000)).toBe(false);
});
