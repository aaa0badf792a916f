import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';

export interface SqlFunction {
  /** Of its file within the folder. */
  path: string;
  text: string;
  /** With the types of its arguments, as the file's line "revoke all on function … from public;" writes it. */
  signature: string;
  /** The lines of comment that the file begins with. */
  comment: string;
  /** Of the whole file. */
  hash: string;
  /** Nothing of this release calls it: it is there for the services of the release before. */
  isKept: boolean;
}

export const keptFolder = 'kept/';

/** @throws Error that names the file that is not written as functions/README.md says */
export async function readFunctions(folder: URL): Promise<SqlFunction[]> {
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.sql')).sort();
  return Promise.all(paths.map(async (path) => parseFunction(path, await readFile(new URL(path, folder), 'utf8'))));
}

export function parseFunction(path: string, text: string): SqlFunction {
  const name = path.replace(keptFolder, '').replace('.sql', '');
  const signature = /^revoke all on function (.+) from public;$/m.exec(text)?.[1];
  const comment = /^(-- .+\n)+/.exec(text)?.[0];
  if (!signature?.startsWith(`${name}(`) || !comment)
    throw new Error(`${path} begins with a comment, defines ${name}, and takes it from public (functions/README.md).`);
  return {
    path,
    text,
    signature,
    comment: comment.replaceAll(/^-- /gm, '').trimEnd(),
    hash: createHash('sha256').update(text).digest('hex'),
    isKept: path.startsWith(keptFolder),
  };
}

/** All functions by one hash: what a line of releases.txt is. */
export const hashOfAll = (functions: readonly SqlFunction[]): string => {
  const all = createHash('sha256');
  for (const { path, hash } of functions) all.update(`${path} ${hash}\n`);
  return all.digest('hex');
};

/** Hashes of the functions of each release, from the first. */
export const readReleases = async (folder: URL): Promise<string[]> =>
  (await readFile(new URL('releases.txt', folder), 'utf8')).trimEnd().split('\n');

/** The number of this release, from 1: that of its line. */
export const readRelease = async (folder: URL): Promise<number> => (await readReleases(folder)).length;
