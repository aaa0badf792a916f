import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LogFile } from './log-file.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-log-'));
});

afterEach(() => rm(folder, { recursive: true }));

test('a full log is kept once and a new one begins', async () => {
  const file = join(folder, 'api.log');
  const log = new LogFile(file, 10);
  for (const line of ['first line\n', 'second line\n', 'third line\n']) log.write(line);
  expect(await readFile(file, 'utf8')).toBe('third line\n');
  expect(await readFile(`${file}.1`, 'utf8')).toBe('second line\n');
});

test('a log goes on where a former start left it', async () => {
  const file = join(folder, 'api.log');
  new LogFile(file, 10).write('a line of ten\n');
  new LogFile(file, 10).write('next\n');
  expect(await readFile(file, 'utf8')).toBe('next\n');
});

test('a log that cannot be written does not throw', () => {
  expect(() => new LogFile(join(folder, 'missing', 'api.log')).write('x')).not.toThrow();
});
