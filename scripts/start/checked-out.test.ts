import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkedOut } from './checked-out.ts';

test('a checkout is named by its commit, with a word where files differ from it, and what is none has no name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-checkout-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' }).trim();
  expect(await checkedOut(folder)).toBeUndefined();
  git('init', '--quiet');
  expect(await checkedOut(folder)).toBeUndefined();
  await writeFile(join(folder, 'file'), 'one');
  git('add', '.');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false', 'commit', '-qm', 'one');
  const commit = git('rev-parse', 'HEAD').slice(0, 12);
  expect(await checkedOut(folder)).toBe(commit);
  await writeFile(join(folder, 'file'), 'two');
  expect(await checkedOut(folder)).toBe(`${commit}-dirty`);
  await mkdir(join(folder, 'below'));
  expect(await checkedOut(join(folder, 'below'))).toBeUndefined();
});
