import { statfs } from 'node:fs/promises';
import { bestEffort } from '../../services/process/best-effort.ts';
import { sleepOrStop } from '../../services/process/sleep.ts';

const lookEveryMs = 5_000;
const mebibyte = 2 ** 20;
/** PostgreSQL writes its log in files of 16 MiB: with less than a few of them left it soon stores nothing more. */
const scarceBytes = 256 * mebibyte;
const fullBytes = 16 * mebibyte;

export type Space = 'enough' | 'scarce' | 'full';

export const spaceOf = (freeBytes: number): Space => {
  if (freeBytes < fullBytes) return 'full';
  return freeBytes < scarceBytes ? 'scarce' : 'enough';
};

/** Says once when the disk of the data is nearly full, or full, and when there is room again. Ends when `signal` does. */
export async function followDiskSpace({
  dataFolder,
  signal,
  say,
}: {
  dataFolder: string;
  signal: AbortSignal;
  say: (line: string) => void;
}): Promise<void> {
  let told: Space = 'enough';
  while (!signal.aborted) {
    const disk = await bestEffort('not every file system tells how much room it has', statfs(dataFolder));
    if (disk) {
      const freeBytes = disk.bavail * disk.bsize;
      const space = spaceOf(freeBytes);
      if (space !== told) say(sentences[space](dataFolder, Math.floor(freeBytes / mebibyte)));
      told = space;
    }
    await sleepOrStop(lookEveryMs, signal);
  }
}

const sentences: Record<Space, (folder: string, freeMebibytes: number) => string> = {
  full: (folder, free) =>
    `The disk of ${folder} is full (${free} MiB left): nothing can be stored, and new conversations are refused. Make room, and it goes on by itself.`,
  scarce: (folder, free) =>
    `The disk of ${folder} is nearly full (${free} MiB left): once it is, new conversations are refused. Make room.`,
  enough: (folder) => `There is room again on the disk of ${folder}.`,
};
