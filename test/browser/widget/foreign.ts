import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../../scripts/toolchain/cache.ts';
import { bestEffort } from '../../../services/process/best-effort.ts';

const run = promisify(execFile);

/** A folder with these packages, by exact version, kept for every run. They are no dependency of ours: only what we are held against, or stand beside. */
export async function folderWith(name: string, packages: Record<string, string>): Promise<string> {
  const versions = Object.entries(packages).map(([one, version]) => `${one}@${version}`);
  const folder = join(cacheFolder(), `${name}-${versions.join('-').replaceAll(/[^\w.-]+/g, '_')}`);
  if (await bestEffort('it is installed below', stat(join(folder, 'package-lock.json')))) return folder;
  await mkdir(folder, { recursive: true });
  await run('npm', ['init', '--yes'], { cwd: folder });
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...versions], { cwd: folder });
  return folder;
}

/** Prototype.js as Debian has it, since npm does not: fetched into the cache, installed nowhere. */
export async function prototypeJs(): Promise<string> {
  const folder = join(cacheFolder(), 'libjs-prototype');
  const file = join(folder, 'usr/share/javascript/prototype/prototype.js');
  const known = await bestEffort('it is fetched below', readFile(file, 'utf8'));
  if (known !== undefined) return known;
  await mkdir(folder, { recursive: true });
  await run('apt-get', ['download', 'libjs-prototype'], { cwd: folder });
  const [archive = ''] = (await readdir(folder)).filter((name) => name.endsWith('.deb'));
  await run('dpkg-deb', ['-x', join(folder, archive), folder]);
  return readFile(file, 'utf8');
}

/** A file of one of them. */
export const textOf = (folder: string, file: string): Promise<string> =>
  readFile(join(folder, 'node_modules', file), 'utf8');
