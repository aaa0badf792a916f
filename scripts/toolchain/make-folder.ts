import { existsSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCode } from './fault.ts';

/**
 * Makes a folder and those above it; one that is there is fine. Node's own recursive mkdir tries for ever where a place answers
 * ENOENT to every new entry, as /proc does (Node 24.21).
 * @throws the system's error
 */
export async function makeFolder(folder: string, mode = 0o777): Promise<void> {
  const above = dirname(folder);
  if (!existsSync(above)) await makeFolder(above, mode);
  await mkdir(folder, { mode }).catch(async (error: unknown) => {
    const there = systemCode(error) === 'EEXIST' && (await stat(folder)).isDirectory();
    if (!there) throw error;
  });
}
