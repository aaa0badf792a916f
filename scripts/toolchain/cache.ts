import { homedir } from 'node:os';
import { join } from 'node:path';
import { settings } from '../../services/settings/settings.ts';
import { storageFault } from './fault.ts';
import { makeFolder } from './make-folder.ts';

/** The folder for what is slow to make and the same for every checkout: binaries, the database template. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  const given = env[settings.cacheFolder.name];
  if (given) return given;
  if (env.XDG_CACHE_HOME) return join(env.XDG_CACHE_HOME, 'parley');
  return join(homedir(), '.cache', 'parley');
}

/** Makes the folder. Throws a Fault that names PARLEY_CACHE_DIR when it can't be made. */
export async function openCacheFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
  } catch (error) {
    throw storageFault(error, `The cache folder ${folder} (${settings.cacheFolder.name})`);
  }
}
