import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Rolldown } from 'vite';
import packageFile from '../package.json' with { type: 'json' };
import { unlessBuilt } from './pages/built-from.ts';
import { compressAll } from './pages/compress.ts';

const repository = join(import.meta.dirname, '..');
const root = join(repository, 'services/web/widget');
const output = join(root, 'dist');
/** What a page's visitors have: two years old at most. */
const target = ['chrome111', 'firefox115', 'safari16.4'];

const shared = {
  configFile: false,
  root,
  logLevel: 'warn',
  // Tests build with a NODE_ENV of their own, and the folders of a machine are nobody's business.
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
} as const;

/**
 * Builds the widget into services/web/widget/dist, unless what is there was built from the same sources: `widget.js`, the loader; files whose names
 * have the hash of what is in them, which never change; `app.js`, which leads to the newest of them. Each also as brotli and gzip.
 */
export const buildWidget = (): Promise<void> =>
  unlessBuilt(
    output,
    { script: import.meta.filename, folders: ['services/web/widget', 'services/web/client', 'services/contract'] },
    async () => {
      const app = await buildApp();
      await buildLoader(app);
      await writeFile(join(output, 'app.js'), `export * from './${app}';\n`);
      await compressAll(output);
    },
  );

/** The window, a module with chunks that are fetched when they are needed. Gives the name of its file. */
async function buildApp(): Promise<string> {
  const built = (await build({
    ...shared,
    base: './',
    build: {
      ...{
        outDir: output,
        emptyOutDir: true,
        target,
        modulePreload: false,
        assetsInlineLimit: 0,
        chunkSizeWarningLimit: 700,
      },
      lib: { entry: join(root, 'app/main.tsx'), formats: ['es'] },
      rolldownOptions: {
        output: { entryFileNames: 'app-[hash].js', chunkFileNames: '[name]-[hash].js', minify: true },
      },
    },
  })) as Rolldown.RolldownOutput[];
  const entry = built[0]?.output.find((chunk) => chunk.type === 'chunk' && chunk.isEntry);
  if (!entry) throw new Error('the bundler made no window of the widget');
  return entry.fileName;
}

/** The script that stands on every page: one file, classic, so that an old tag goes on working. */
async function buildLoader(app: string): Promise<void> {
  await build({
    ...shared,
    define: { __APP__: JSON.stringify(app), __VERSION__: JSON.stringify(packageFile.version) },
    build: {
      ...{ outDir: output, emptyOutDir: false, target, modulePreload: false },
      lib: { entry: join(root, 'loader/main.ts'), formats: ['iife'], name: 'ParleyWidget' },
      rolldownOptions: { output: { entryFileNames: 'widget.js' } },
    },
  });
}

if (import.meta.main) await buildWidget();
