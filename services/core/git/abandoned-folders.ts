/** Scratch folders say in their names whose they are, so that those of a process that was killed can be found. */
import { lstat, readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { bestEffort } from '../../process/best-effort.ts';

/** With the host's name, as containers that share a folder number their processes alike. */
const ofThisHost = () => `parley-git-${hostname().replaceAll(/[^A-Za-z0-9.-]/g, '')}-`;

/** What the name of a scratch folder of this process begins with. */
export const folderPrefix = (): string => `${ofThisHost()}${process.pid}-`;

/** Full paths of the scratch folders whose process is gone; those of other hosts and users are left alone. */
export async function abandonedFolders(parent: string): Promise<string[]> {
  const names = (await bestEffort('what cannot be listed is not cleared away', readdir(parent))) ?? [];
  const pattern = /^(\d{1,10})-[A-Za-z0-9]{6}$/;
  const found = await Promise.all(
    names
      .filter((name) => name.startsWith(ofThisHost()))
      .map(async (name) => {
        const pid = pattern.exec(name.slice(ofThisHost().length))?.[1];
        const folder = join(parent, name);
        return pid !== undefined && (await isAbandoned(folder, Number(pid))) ? [folder] : [];
      }),
  );
  return found.flat();
}

async function isAbandoned(folder: string, pid: number): Promise<boolean> {
  const found = await bestEffort('another process may have cleared it away', lstat(folder));
  if (!found?.isDirectory() || found.uid !== process.getuid?.()) return false;
  // In a container that was started anew we have the number of the one who died.
  if (pid === process.pid) return found.mtimeMs < Date.now() - process.uptime() * 1_000;
  return !isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
