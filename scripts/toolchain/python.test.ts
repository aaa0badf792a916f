import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pythonWith } from './python.ts';

const locks = join(import.meta.dirname, 'python');
const environment = { ...process.env };
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-python-'));
  process.env.PATH = `${folder}:${process.env.PATH}`;
  process.env.PARLEY_CACHE_DIR = join(folder, 'cache');
});

afterEach(async () => {
  process.env = { ...environment };
  await rm(folder, { recursive: true, force: true });
});

/** A python3 whose environments hold a python that runs `pip` in place of pip. */
async function givePython(pip: string): Promise<void> {
  const file = join(folder, 'python3');
  const inEnvironment = join(folder, 'python');
  await writeFile(inEnvironment, `#!/bin/sh\n${pip}\n`);
  await writeFile(file, `#!/bin/sh\nmkdir -p "$3/bin" && cp ${inEnvironment} "$3/bin/python"\n`);
  await Promise.all([file, inEnvironment].map((path) => chmod(path, 0o755)));
}

const requirementsIn = async (file: string) =>
  (await readFile(join(locks, file), 'utf8'))
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.trim().startsWith('#'));

const names = (await readdir(locks)).filter((file) => file.endsWith('.in')).map((file) => file.replace('.in', ''));

test.for(names)('%s is locked whole: a version and hashes for each of its packages', async (name) => {
  const locked = await requirementsIn(`${name}.txt`);
  for (const requirement of locked) expect(requirement).toMatch(/^\S+==\S+ .*--hash=sha256:[0-9a-f]{64}/);
  const lockedVersions = locked.map((requirement) => requirement.split(' ')[0]);
  for (const asked of await requirementsIn(`${name}.in`))
    expect(lockedVersions).toContain(asked.replace(/\[.*\]/, '').split(' ')[0]);
});

test('what is installed is what was locked: by hash, nothing beyond it, nothing built', async () => {
  await givePython(`echo "$@" > ${folder}/asked`);
  await pythonWith('livekit');
  const asked = await readFile(join(folder, 'asked'), 'utf8');
  expect(asked).toContain(`--require-hashes --no-deps --only-binary :all: --requirement ${join(locks, 'livekit.txt')}`);
  expect(asked).not.toContain('--ignore-requires-python');
});

test('a failure is told by its cause, not by the hint that comes last', async () => {
  await givePython(`cat >&2 <<'END'
  error: subprocess-exited-with-error
ERROR: Cannot install numpy==2.5.5 because its hash is another one.
hint: See above for details.
END
exit 1`);
  await expect(pythonWith('livekit')).rejects.toThrow(
    'livekit could not be installed: error: subprocess-exited-with-error ERROR: Cannot install numpy==2.5.5 because its hash is another one.',
  );
});

test('a Python that a package has no wheel for is told which ones there are', async () => {
  await givePython('echo "ERROR: No matching distribution found for pocketsphinx==5.1.1" >&2; exit 1');
  await expect(pythonWith('pocketsphinx')).rejects.toThrow('put 3.11, 3.12 or 3.13 on PATH as python3');
});
