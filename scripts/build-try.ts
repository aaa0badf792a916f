import { createHash } from 'node:crypto';
import { glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { bestEffort } from '../services/process/best-effort.ts';

const repository = join(import.meta.dirname, '..');
const pages = join(repository, 'services/web');
const page = join(pages, 'try');
/** Of all that the page may be made of. */
const sourceFolders = [pages, join(repository, 'services/contract')];
const output = join(page, 'dist');
const mark = join(output, '.built-from');

/** Builds the try-it page into services/web/try/dist, unless what is there was built from the same sources with the same packages. */
export async function buildTryPage(): Promise<void> {
  const wanted = await hashOfSources();
  const built = await bestEffort('nothing may be built yet', readFile(mark, 'utf8'));
  if (built === wanted) return;
  await build({
    configFile: false,
    root: page,
    base: '/try/',
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: output,
      emptyOutDir: true,
      // The page's content security policy allows neither data: images nor inline scripts.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      // The room's client is one file of this size; it is loaded when a conversation is started.
      chunkSizeWarningLimit: 700,
    },
  });
  await mkdir(output, { recursive: true });
  await writeFile(mark, wanted);
}

async function hashOfSources(): Promise<string> {
  const files = [import.meta.filename, join(repository, 'package-lock.json')];
  for (const folder of sourceFolders)
    for await (const file of glob('**/*.{ts,tsx,css,html,svg}', {
      cwd: folder,
      exclude: ['**/dist/**', '**/*.test.ts'],
    }))
      files.push(join(folder, file));
  const hash = createHash('sha256');
  for (const file of files.sort())
    hash
      .update(file.slice(repository.length))
      .update('\0')
      .update(await readFile(file))
      .update('\0');
  return hash.digest('hex');
}

if (import.meta.main) await buildTryPage();
