import { lstat, open, readdir, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { bestEffort } from '../../process/best-effort.ts';
import { type AgentsFolder, fileProblems } from './folder.ts';

/** Undefined when there is no such folder. Links within it are followed, and none that leads out. */
export async function folderOnDisk(directory: string): Promise<AgentsFolder | undefined> {
  const root = await bestEffort('there may be no such folder', realpath(directory));
  if (root === undefined || !(await isFolder(root))) return undefined;
  return {
    names: (path) => readdir(join(root, path)).catch(noneWhereNoFolderIs),
    read: async (path, maxBytes) => {
      const real = await bestEffort('the author is told of a link to nothing', realpath(join(root, path)));
      if (real === undefined) return fileProblems.linkToNothing;
      if (!isInside(root, real)) return fileProblems.linkLeadsOut;
      if (!(await lstat(real)).isFile()) return fileProblems.noFile;
      return readBounded(real, maxBytes).catch(() => fileProblems.unreadable);
    },
  };
}

const isFolder = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

const noneWhereNoFolderIs = ({ code }: NodeJS.ErrnoException) => (code === 'ENOENT' ? [] : undefined);

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && way !== path;
}

/** At most one byte more than the bound, whatever the file grows to meanwhile. */
async function readBounded(path: string, maxBytes: number): Promise<Buffer> {
  await using file = await open(path, 'r');
  const buffer = Buffer.alloc(Math.min((await file.stat()).size, maxBytes) + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}
