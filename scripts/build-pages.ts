import { join } from 'node:path';
import { build } from 'vite';
import { buildWidget } from './build-widget.ts';
import { unlessBuilt } from './pages/built-from.ts';
import { compressAll } from './pages/compress.ts';

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
  const folders = [name, ...pages[name].folders].map((folder) => `services/web/${folder}`);
  const sources = { script: import.meta.filename, folders: [...folders, 'services/contract'] };
  await unlessBuilt(output, sources, () => bundle(name, root, output));
}

async function bundle(name: PageName, root: string, output: string): Promise<void> {
  await build({
    configFile: false,
    root,
    base: pages[name].base,
    logLevel: 'warn',
    // Tests build with a NODE_ENV of their own, and the folders of a machine are nobody's business.
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
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
  await compressAll(join(output, 'assets'));
}

/** Those that are named, or all. */
if (import.meta.main) {
  const named = process.argv.slice(2);
  const isWanted = (name: string) => named.length === 0 || named.includes(name);
  for (const name of pageNames) if (isWanted(name)) await buildPage(name);
  if (isWanted('widget')) await buildWidget();
}
