import { execFile } from 'node:child_process';
import { access, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, openCacheFolder } from './cache.ts';
import { withLock } from './lock.mjs';

const run = promisify(execFile);

/**
 * The folder of programs (`python` among them) of a virtual environment that has one package of PyPI, for example
 * `livekit==1.2.0`. It is installed into the cache unless it is there.
 */
export async function pythonWith(requirement: string): Promise<string> {
  const folder = join(cacheFolder(), `python-${requirement.replace('==', '-').replace(/[[\]]/g, '_')}`);
  const bin = join(folder, 'bin');
  await openCacheFolder(cacheFolder());
  await withLock(`${folder}.lock`, async () => {
    if (await isThere(join(folder, 'complete'))) return;
    await rm(folder, { recursive: true, force: true });
    await run('python3', ['-m', 'venv', folder]);
    await run(join(bin, 'python'), ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', requirement]);
    // A mark, because a virtual environment can't be made elsewhere and moved here.
    await writeFile(join(folder, 'complete'), '');
  });
  return bin;
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
