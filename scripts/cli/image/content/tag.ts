import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, matchesGlob } from 'node:path';
import { bestEffort } from '../../../../services/process/best-effort.ts';

const builtBy = ['Dockerfile', '.dockerignore'];

/** Paths of the files that Docker is given to build from, in alphabetical order. */
export async function imageFiles(root: string): Promise<string[]> {
  const rules = parseIgnore(await readFile(join(root, '.dockerignore'), 'utf8'));
  const named = rules.flatMap(({ pattern, isKept }) => (isKept ? [pattern] : []));
  const found = await Promise.all(named.map((path) => filesBelow(root, path)));
  return found
    .flat()
    .filter((path) => isInContext(path, rules))
    .sort();
}

/** A tag that is the same for the same content, wherever and whenever the image is built. */
export async function contentTag(root: string): Promise<string> {
  const hash = createHash('sha256');
  for (const path of [...builtBy, ...(await imageFiles(root))]) {
    const content = createHash('sha256').update(await readFile(join(root, path)));
    hash.update(`${path}\0${content.digest('hex')}\n`);
  }
  return `content-${hash.digest('hex').slice(0, 16)}`;
}

interface Rule {
  pattern: string;
  isKept: boolean;
}

const parseIgnore = (text: string): Rule[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) =>
      line.startsWith('!') ? { pattern: line.slice(1), isKept: true } : { pattern: line, isKept: false },
    );

/** As Docker reads it: the last rule that matches the file, or a folder that it lies in, decides. */
function isInContext(path: string, rules: readonly Rule[]): boolean {
  const parts = path.split('/');
  const places = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  const last = rules.findLast(({ pattern }) => places.some((place) => matchesGlob(place, pattern)));
  return last?.isKept ?? true;
}

async function filesBelow(root: string, path: string): Promise<string[]> {
  const listed = readdir(join(root, path), { withFileTypes: true, recursive: true });
  const entries = await bestEffort('it may be a file', listed);
  if (!entries) return [path];
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, '/').length));
}
