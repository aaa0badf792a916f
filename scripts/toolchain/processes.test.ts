import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { endRecorded, freeze, readRecord, startOf, writeRecord } from './processes.ts';

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

test.runIf(existsSync('/proc/self/task'))('of a frozen process no thread runs any more', async () => {
  const busy = `const { Worker } = require('node:worker_threads');
    for (let count = 0; count < 4; count += 1) new Worker('for (;;);', { eval: true });
    setTimeout(() => console.log('at work'), 50);`;
  const child = spawn(process.execPath, ['-e', busy], { stdio: ['ignore', 'pipe', 'ignore'] });
  const pid = child.pid ?? 0;
  try {
    await once(child.stdout, 'data');
    freeze(pid);
    const threads = readdirSync(`/proc/${pid}/task`);
    const states = threads.map(
      (thread) => readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8').split(') ')[1]?.[0],
    );
    expect(new Set(states)).toEqual(new Set(['T']));
  } finally {
    child.kill('SIGKILL');
  }
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
