import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, openCacheFolder } from './cache.ts';
import { storageFault } from './fault.ts';
import { withLock } from './lock.mjs';

export interface CachedFolder {
  /** With the version of what is in it: what is there is never made again. */
  name: string;
  /** Fills a folder that becomes the cached one when it is complete. */
  make: (draft: string) => Promise<void>;
  env: NodeJS.ProcessEnv;
  progress: (line: string) => void;
}

/**
 * A folder of the cache that is slow to make: there whole or not at all. One process makes one at a time, since what is
 * slow needs the whole machine.
 */
export async function cachedFolder({ name, make, env, progress }: CachedFolder): Promise<string> {
  const cache = cacheFolder(env);
  const folder = join(cache, name);
  if (existsSync(folder)) return folder;
  await openCacheFolder(cache);
  const waiting = (pid: number) => progress(`Process ${pid} is making tools; waiting for it to make ${name}.`);
  await withLock(join(cache, 'tools.lock'), () => makeOnce(folder, make), waiting);
  return folder;
}

async function makeOnce(folder: string, make: CachedFolder['make']): Promise<void> {
  if (existsSync(folder)) return;
  const draft = `${folder}.${randomUUID()}`;
  try {
    await mkdir(draft);
    await make(draft);
    await rename(draft, folder);
  } catch (error) {
    throw storageFault(error, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
