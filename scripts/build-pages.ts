import { createHash } from 'node:crypto';
import { glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { bestEffort } from '../services/process/best-effort.ts';

const repository = join(import.meta.dirname, '..');
const web = join(repository, 'services/web');

interface Page {
  /** Where the API serves it. */
  base: string;
  /** Of services/web, beside its own: what it may be made of. All of them have types of `contract`. */
  folders: readonly string[];
}

const pages = {
  try: { base: '/try/', folders: ['client', 'design'] },
  dashboard: { base: '/', folders: ['client', 'design', 'try'] },
} as const satisfies Record<string, Page>;

export type PageName = keyof typeof pages;
const pageNames = Object.keys(pages) as PageName[];

/** Builds a page into services/web/<page>/dist, unless what is there was built from the same sources with the same packages. */
export async function buildPage(name: PageName): Promise<void> {
  const root = join(web, name);
  const output = join(root, 'dist');
  const mark = join(output, '.built-from');
  const wanted = await hashOfSources(name);
  const built = await bestEffort('nothing may be built yet', readFile(mark, 'utf8'));
  if (built === wanted) return;
  await build({
    configFile: false,
    root,
    base: pages[name].base,
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: output,
      emptyOutDir: true,
      // The pages' content security policy allows neither data: images nor inline scripts.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      // light-dark() of design/tokens.css.
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      // The room's client is one file of this size; it is loaded when a conversation is started.
      chunkSizeWarningLimit: 700,
    },
  });
  await mkdir(output, { recursive: true });
  await writeFile(mark, wanted);
}

async function hashOfSources(name: PageName): Promise<string> {
  const files = [import.meta.filename, join(repository, 'package-lock.json')];
  const folders = [name, ...pages[name].folders].map((folder) => join(web, folder));
  for (const folder of [...folders, join(repository, 'services/contract')])
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

/** Those that are named, or all. */
if (import.meta.main) {
  const named = process.argv.slice(2);
  for (const name of pageNames) if (named.length === 0 || named.includes(name)) await buildPage(name);
}
