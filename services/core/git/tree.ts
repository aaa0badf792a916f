/** What a commit holds, as git tells it: no name from outside decides where anything is written. */

import { bestEffort } from '../../process/best-effort.ts';
import { GitError } from './run-git.ts';
import type { Git } from './scratch-repository.ts';

export interface TreeEntry {
  mode: string;
  /** Git's id of the content. */
  id: string;
  /** Within the tree that was listed. */
  path: string;
  sizeBytes: number;
}

export const symbolicLinkMode = '120000';

/** All files of a tree such as `<commit>:<folder>`, with its folders; none when it is not there or no folder. */
export async function listTree(git: Git, tree: string): Promise<TreeEntry[]> {
  const type = await bestEffort('it may not be there', git(['cat-file', '-t', tree]));
  const isTree = type !== undefined && ['tree', 'commit'].includes(type.toString().trim());
  if (!isTree) return [];
  const list = await git(['ls-tree', '-r', '-l', '-z', '--full-tree', tree]);
  return list.toString().split('\0').flatMap(parseLine);
}

function parseLine(line: string): TreeEntry[] {
  const [, mode, type, id, size, path] = /^(\d{6}) (\w+) ([0-9a-f]{40,64}) +(\d+|-)\t(.+)$/s.exec(line) ?? [];
  if (mode === undefined || id === undefined || path === undefined || type !== 'blob') return [];
  return [{ mode, id, path, sizeBytes: Number(size) }];
}

/** What git says before a content: its id, type and size. */
const longestHead = 120;

/** Contents in the order of the entries. @throws GitError when one is not there */
export async function readBlobs(git: Git, entries: readonly TreeEntry[]): Promise<Buffer[]> {
  const all = await git(['cat-file', '--batch'], {
    input: entries.map(({ id }) => `${id}\n`).join(''),
    maxOutputBytes: entries.reduce((sum, { sizeBytes }) => sum + sizeBytes + longestHead, 0),
  });
  let at = 0;
  return entries.map(({ id, path }) => {
    const headEnd = all.indexOf(10, at);
    const size = headEnd < 0 ? Number.NaN : Number(all.toString('latin1', at, headEnd).split(' ')[2]);
    if (Number.isNaN(size)) throw new GitError(`the contents of ${path} (${id}) are not there`);
    at = headEnd + 1 + size + 1;
    return all.subarray(headEnd + 1, headEnd + 1 + size);
  });
}
