import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sha256 } from '../../core/sessions/ids.ts';
import { bestEffort } from '../../process/best-effort.ts';

export interface BuiltFile {
  type: string;
  etag: string;
  /** The name has the hash of the content: what is under it never changes. */
  isImmutable: boolean;
  /** By content encoding; `identity` is always there. */
  bodies: Map<string, Buffer>;
}

const built = fileURLToPath(new URL('../../web/widget/dist/', import.meta.url));
const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
};
const encodings = { '.br': 'br', '.gz': 'gzip' } as const;
const hashed = /-[\w-]{8}\.js$/;

/** The built widget, by file name; empty where it was not built. A megabyte, read once. */
export async function readBuiltFiles(folder = built): Promise<Map<string, BuiltFile>> {
  const names = (await bestEffort('the widget is not built yet', readdir(folder))) ?? [];
  const files = new Map<string, BuiltFile>();
  for (const name of names.sort()) {
    const type = types[extname(name)];
    if (type !== undefined) files.set(name, await readOne(folder, name, type));
  }
  for (const name of names) {
    const encoding = encodings[extname(name) as keyof typeof encodings];
    const plain = files.get(name.replace(/\.(br|gz)$/, ''));
    if (encoding && plain) plain.bodies.set(encoding, await readFile(join(folder, name)));
  }
  return files;
}

async function readOne(folder: string, name: string, type: string): Promise<BuiltFile> {
  const body = await readFile(join(folder, name));
  const etag = `"${sha256(body.toString('latin1')).toString('base64url').slice(0, 22)}"`;
  return { type, etag, isImmutable: hashed.test(name), bodies: new Map([['identity', body]]) };
}
