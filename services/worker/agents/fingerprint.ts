import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { agentFolders } from '../../agent-files/load.ts';

/** Changes when a file of the agents' folder does: names, sizes and times of change. Cheap enough to look at every two seconds. */
export async function fingerprintOf(directory: string): Promise<string> {
  const parts = await Promise.all(agentFolders.map(({ path }) => namesIn(directory, path)));
  const lines = await Promise.all(parts.flat().map((file) => lineOf(directory, file)));
  return lines.join('\n');
}

async function namesIn(directory: string, folder: string): Promise<string[]> {
  const names = await readdir(join(directory, folder)).catch(() => []);
  return names
    .filter((name) => !name.startsWith('.'))
    .sort()
    .map((name) => join(folder, name));
}

async function lineOf(directory: string, file: string): Promise<string> {
  const found = await stat(join(directory, file)).catch(() => undefined);
  return found ? `${file} ${found.size} ${found.mtimeMs} ${found.ino}` : `${file} gone`;
}
