import { posix } from 'node:path';
import { type AgentsFolder, type FileProblem, fileProblems } from '../../agent-files/read/folder.ts';
import { symbolicLinkMode, type TreeEntry } from '../../core/git/tree.ts';

interface File {
  isLink: boolean;
  content: Buffer;
}

/** As many as Linux follows. */
const mostLinks = 40;

/** The files of a commit as a folder, without writing them anywhere: a tree from outside decides no path on this machine. */
export function folderOfCommit(entries: readonly TreeEntry[], contents: readonly Buffer[]): AgentsFolder {
  const files = new Map<string, File>(
    entries.map(({ mode, path }, index) => [
      path,
      { isLink: mode === symbolicLinkMode, content: contents[index] ?? Buffer.alloc(0) },
    ]),
  );
  return {
    names: async (folder) =>
      [...files.keys()].filter((path) => posix.dirname(path) === (folder || '.')).map((path) => posix.basename(path)),
    read: async (path) => contentOf(files, path, mostLinks),
  };
}

function contentOf(files: ReadonlyMap<string, File>, path: string, linksLeft: number): Buffer | FileProblem {
  const file = files.get(path);
  if (file === undefined || linksLeft === 0) return fileProblems.linkToNothing;
  if (!file.isLink) return file.content;
  const way = file.content.toString();
  const target = posix.join(posix.dirname(path), way);
  if (posix.isAbsolute(way) || target === '..' || target.startsWith('../')) return fileProblems.linkLeadsOut;
  return contentOf(files, target, linksLeft - 1);
}
