import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startOf } from '../../scripts/toolchain/processes.ts';
import { eventually } from '../support/eventually.ts';

/** As npm does while it installs: it does not end for a signal. It says who it is. */
const npmThatGoesOn = `
  import { writeFileSync } from 'node:fs';
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
  writeFileSync('npm.pid', String(process.pid));
  setInterval(() => {}, 1000);`;

async function emptyCheckout(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-install-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'scripts'));
  for (const path of ['scripts/bootstrap.mjs', 'scripts/toolchain', 'package.json', 'package-lock.json'])
    await cp(path, join(folder, path), { recursive: true });
  await writeFile(join(folder, 'npm.js'), npmThatGoesOn);
  return folder;
}

test.each(['SIGINT', 'SIGTERM'] as const)('%s while npm installs ends npm too, and frees the lock', async (signal) => {
  const folder = await emptyCheckout();
  const child = spawn(process.execPath, ['scripts/bootstrap.mjs', 'scripts/parley.ts'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'pipe'],
    env: { ...process.env, npm_execpath: join(folder, 'npm.js') },
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  const npm = await eventually('npm runs', async () => Number(await readFile(join(folder, 'npm.pid'), 'utf8')));
  const ended = once(child, 'close');
  child.kill(signal);
  expect(await ended).toEqual([null, signal]);
  expect(said).toContain('The installation was stopped; the next command begins it anew.');
  expect(await startOf(npm)).toBeUndefined();
  await expect(readFile(join(folder, '.parley', 'install.lock'))).rejects.toThrow('ENOENT');
});
