import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runGit } from '../../../services/core/git/run-git.ts';
import { eventually } from '../../support/eventually.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-fake-git-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A program called git that does what a git in trouble does. */
async function withGit(script: string, { signal = new AbortController().signal, timeoutMs = 20_000 } = {}) {
  const file = join(folder, 'git');
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  const env = { PATH: `${folder}:/usr/bin:/bin`, FOLDER: folder };
  return runGit(['fetch'], { env, timeoutMs, maxOutputBytes: 1_000, signal });
}

const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

/** Starts a child as ssh would be, and hangs. */
const hangs = 'sleep 600 &\necho $! > "$FOLDER/child"\nwait';
const child = async () => Number(await readFile(join(folder, 'child'), 'utf8'));

test('what it says comes back', async () => {
  expect((await withGit('printf "one\\ntwo"')).toString()).toBe('one\ntwo');
});

test('what hangs is ended with its children when its time is over', async () => {
  await expect(withGit(hangs, { timeoutMs: 300 })).rejects.toThrow('git fetch took longer than 0.3 s');
  await eventually('the child is gone', async () => isGone(await child()));
});

test('a stop ends it at once, and before it has begun', async () => {
  await rm(join(folder, 'child'), { force: true });
  const stop = new AbortController();
  const running = withGit(hangs, { signal: stop.signal });
  running.catch(() => undefined);
  const pid = await eventually('the child runs', async () => (await child()) || undefined);
  stop.abort();
  await expect(running).rejects.toThrow('git fetch was stopped');
  await eventually('the child is gone', () => isGone(pid));
  await expect(withGit('sleep 600', { signal: stop.signal })).rejects.toThrow('git fetch was stopped');
});

test('one that never stops talking is ended', async () => {
  await expect(withGit('yes')).rejects.toThrow('git fetch said more than 1000 bytes');
});

test('a failure says what it said, and no more than its end', async () => {
  const error = await withGit('yes noise | head -c 100000 >&2; echo "fatal: no such host" >&2; exit 128').catch(
    (fault: Error) => fault.message,
  );
  expect(error).toMatch(/^git fetch ended with 128: .*fatal: no such host$/s);
  expect(String(error).length).toBeLessThan(2_100);
});

test('without git it says so', async () => {
  const env = { PATH: '/nowhere' };
  const { signal } = new AbortController();
  await expect(runGit(['fetch'], { env, timeoutMs: 1_000, maxOutputBytes: 1, signal })).rejects.toThrow(
    /could not be started .*is it installed/,
  );
});
