import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { setUpLocalSpeech } from './speech.ts';

const run = promisify(execFile);
const environment = { ...process.env };
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-speech-'));
});

afterEach(async () => {
  process.env = { ...environment };
  await rm(folder, { recursive: true, force: true });
});

const program = async (name: string, script: string) => {
  await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, name), 0o755);
};

test('what it sets up can speak and recognise', async () => {
  const { variables, problems } = await setUpLocalSpeech(() => undefined);
  expect(problems).toEqual([]);
  const python = variables.PARLEY_SPEECH_PYTHON ?? '';
  await run(python, ['-c', 'import pocketsphinx']);
  await run('espeak-ng', ['--version']);
});

test('where neither can be installed there is a sentence for each, and nothing is thrown', async () => {
  process.env.PATH = folder;
  process.env.PARLEY_CACHE_DIR = join(folder, 'cache');
  const { variables, problems } = await setUpLocalSpeech(() => undefined);
  expect(variables).toEqual({});
  expect(problems).toEqual([
    expect.stringContaining('espeak-ng: install them (Debian: apt-get install espeak-ng)'),
    expect.stringContaining('needs Python 3'),
  ]);
});

test('a registry that cannot be reached is named as the reason', async () => {
  await program('espeak-ng', '');
  await program('python3', 'echo "ERROR: Could not fetch URL: NewConnectionError" >&2; exit 1');
  process.env.PATH = `${folder}:${process.env.PATH}`;
  process.env.PARLEY_CACHE_DIR = join(folder, 'cache');
  const said: string[] = [];
  const { problems } = await setUpLocalSpeech((line) => said.push(line));
  expect(said).toEqual([expect.stringContaining('Installing pocketsphinx')]);
  expect(problems).toEqual([expect.stringContaining("PyPI can't be reached")]);
  await expect(readFile(join(folder, 'cache', 'complete'))).rejects.toThrow();
});
