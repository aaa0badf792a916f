import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { agentFolders } from '../../agent-files/load.ts';
import { bestEffort } from '../../process/best-effort.ts';

/** Changes when a file of the agents' folder does: names, sizes and times of change. Cheap enough to look at every two seconds. */
export async function fingerprintOf(directory: string): Promise<string> {
  const parts = await Promise.all(agentFolders.map(({ path }) => namesIn(directory, path)));
  const lines = await Promise.all(parts.flat().map((file) => lineOf(directory, file)));
  return lines.join('\n');
}

async function namesIn(directory: string, folder: string): Promise<string[]> {
  const names = (await bestEffort('not every kind of file has a folder', readdir(join(directory, folder)))) ?? [];
  return names
    .filter((name) => !name.startsWith('.'))
    .sort()
    .map((name) => join(folder, name));
}

async function lineOf(directory: string, file: string): Promise<string> {
  const found = await bestEffort('it may be gone since it was listed', stat(join(directory, file)));
  return found ? `${file} ${found.size} ${found.mtimeMs} ${found.ino}` : `${file} gone`;
}
