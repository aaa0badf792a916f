import { randomUUID } from 'node:crypto';
import { access, mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bestEffort } from '../../services/process/best-effort.ts';

interface Kind {
  folder: string;
  limit: string;
}

/** Control groups of both kinds (https://docs.kernel.org/admin-guide/cgroup-v2.html, cgroup-v1/memory.html). */
const kinds: readonly Kind[] = [
  { folder: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes' },
  { folder: '/sys/fs/cgroup', limit: 'memory.max' },
];

export const memoryCanBeLimited = async (): Promise<boolean> => (await kindHere()) !== undefined;

async function kindHere(): Promise<Kind | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (const kind of kinds) {
    const group = join(kind.folder, `parley-${randomUUID()}`);
    const can = await mkdir(group)
      .then(() => access(join(group, kind.limit)))
      .then(
        () => true,
        () => false,
      );
    await bestEffort('it was not made', rmdir(group));
    if (can) return kind;
  }
  return undefined;
}

/** A process and those that it begins have so much memory from now on, together with what the system keeps of the files that they read. */
export async function limitMemory(pid: number, mb: number): Promise<AsyncDisposable> {
  const kind = await kindHere();
  if (!kind) throw new Error('the memory of a process cannot be limited here');
  const group = join(kind.folder, `parley-${randomUUID()}`);
  await mkdir(group);
  await writeFile(join(group, kind.limit), String(mb * 1024 * 1024));
  for (const one of [pid, ...(await childrenOf(pid))]) await writeFile(join(group, 'cgroup.procs'), String(one));
  return {
    [Symbol.asyncDispose]: async () => {
      const left = (await readFile(join(group, 'cgroup.procs'), 'utf8')).split('\n').filter(Boolean);
      for (const one of left) await bestEffort('it has ended', writeFile(join(kind.folder, 'cgroup.procs'), one));
      await bestEffort('it is empty, and costs nothing', rmdir(group));
    },
  };
}

async function childrenOf(pid: number): Promise<string[]> {
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const parents = await Promise.all(
    all.map((name) =>
      readFile(`/proc/${name}/stat`, 'utf8').then(
        (text) => text.split(') ')[1]?.split(' ')[1],
        () => '',
      ),
    ),
  );
  return all.filter((_, index) => parents[index] === String(pid));
}
