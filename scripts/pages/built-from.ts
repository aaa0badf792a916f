import { createHash } from 'node:crypto';
import { glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bestEffort } from '../../services/process/best-effort.ts';

const repository = join(import.meta.dirname, '../..');

export interface Sources {
  /** The script that builds. */
  script: string;
  /** Of the repository. */
  folders: readonly string[];
}

/** Runs `build`, unless what is in `output` was built from the same sources with the same packages. */
export async function unlessBuilt(output: string, sources: Sources, build: () => Promise<void>): Promise<void> {
  const mark = join(output, '.built-from');
  const wanted = await hashOf(sources);
  if ((await bestEffort('nothing may be built yet', readFile(mark, 'utf8'))) === wanted) return;
  await build();
  await mkdir(output, { recursive: true });
  await writeFile(mark, wanted);
}

async function hashOf({ script, folders }: Sources): Promise<string> {
  const files = [script, join(repository, 'package-lock.json')];
  for (const folder of folders)
    for await (const file of glob('**/*.{ts,tsx,css,html,svg}', {
      cwd: join(repository, folder),
      exclude: ['**/dist/**', '**/*.test.ts'],
    }))
      files.push(join(repository, folder, file));
  const hash = createHash('sha256');
  for (const file of files.sort())
    hash
      .update(file.slice(repository.length))
      .update('\0')
      .update(await readFile(file))
      .update('\0');
  return hash.digest('hex');
}
