import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agentFolders, maxFilesInFolder, maxTotalBytes } from '../../contract/agents/load.ts';
import type { GitAccess } from '../../core/git/access.ts';
import { GitError } from '../../core/git/run-git.ts';
import { openScratchRepository } from '../../core/git/scratch-repository.ts';
import { listTree, readBlobs, symbolicLinkMode, type TreeEntry } from '../../core/git/tree.ts';

/** A branch of a repository that is only ever read. */
export interface GitRepository {
  /** The commit at the branch's head now. @throws GitError when the repository or the branch can't be read */
  head(): Promise<string>;
  /** Brings the branch's head here: a commit that is the same as or later than any `head` told before. */
  fetch(): Promise<string>;
  /** Who wrote a fetched commit, and the first line of its message. */
  describe(commit: string): Promise<{ author: string; subject: string }>;
  /**
   * Puts the agents' files of a fetched commit into an empty folder; returns how many there are.
   * @throws GitError when there is too much of them
   */
  checkOut(commit: string, path: string, folder: string): Promise<number>;
  close(): Promise<void>;
}

export interface GitRepositoryOptions extends GitAccess {
  branch: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Ends what git is doing. */
  signal: AbortSignal;
}

const askTimeoutMs = 20_000;
const fetchTimeoutMs = 120_000;
/** Above what loading accepts, which says it with a place: this only protects the disk and the memory of the worker. */
const maxFiles = 2 * agentFolders.length * maxFilesInFolder;
const maxBytes = 2 * maxTotalBytes;
/** Git's housekeeping is off; a fresh copy now and then is less than it. */
const fetchesPerCopy = 200;

const longestLine = 200;

const folders = agentFolders.map(({ path }) => path).filter((path) => path !== '');
const ours = new RegExp(`^(?:(?:${folders.join('|')})/)?[^/.][^/]*\\.(?:yaml|yml|md)$`);

/** Nothing is contacted before the first call; what is fetched lives in a folder of this process until `close`. */
export async function openGitRepository(options: GitRepositoryOptions): Promise<GitRepository> {
  const { url, branch } = options;
  const scratch = await openScratchRepository(options, options);
  const { git } = scratch;
  const ref = `refs/heads/${branch}`;
  let fetches = 0;
  return {
    head: async () => {
      const list = await git(['ls-remote', '--', url, ref], { timeoutMs: askTimeoutMs });
      const lines = list.toString().split('\n');
      const line = lines.find((text) => text.endsWith(`\t${ref}`));
      if (!line) throw new GitError(`the repository has no branch ${branch}`);
      return line.slice(0, line.indexOf('\t'));
    },
    fetch: async () => {
      if (fetches % fetchesPerCopy === 0) await scratch.empty();
      fetches += 1;
      const only = ['--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head', '--force'];
      try {
        await git(['fetch', ...only, '--', url, `+${ref}:refs/heads/fetched`], { timeoutMs: fetchTimeoutMs });
      } catch (error) {
        // What is here may be half of something: begin anew the next time.
        fetches = 0;
        throw error;
      }
      return (await git(['rev-parse', '--verify', 'refs/heads/fetched^{commit}'])).toString().trim();
    },
    describe: async (commit) => {
      const said = await git(['log', '-1', '--no-show-signature', '--encoding=UTF-8', '--format=%an%x00%s', commit]);
      const [author = '', subject = ''] = said.toString().trim().split('\0');
      return { author: author.slice(0, longestLine), subject: subject.slice(0, longestLine) };
    },
    checkOut: async (commit, path, folder) => {
      const all = await listTree(git, path === '.' ? `${commit}^{tree}` : `${commit}:${path}`);
      const entries = all.filter((entry) => ours.test(entry.path));
      refuseTooMuch(entries);
      for (const name of folders) await mkdir(join(folder, name), { recursive: true });
      await writeEntries(entries, await readBlobs(git, entries), folder);
      return entries.length;
    },
    close: async () => scratch[Symbol.asyncDispose](),
  };
}

function refuseTooMuch(entries: readonly TreeEntry[]): void {
  const bytes = entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (entries.length > maxFiles || bytes > maxBytes)
    throw new GitError(
      `the path has ${entries.length} agents' files of ${bytes} bytes; at most ${maxFiles} and ${maxBytes} are read`,
    );
}

/** Written by ourselves, under names that were checked: a tree from outside never decides where git writes. */
async function writeEntries(entries: readonly TreeEntry[], contents: readonly Buffer[], folder: string): Promise<void> {
  for (const [index, { mode, path }] of entries.entries()) {
    const content = contents[index] ?? Buffer.alloc(0);
    // A link stays one: loading follows it within the folder and refuses it where it leads out.
    if (mode === symbolicLinkMode) await symlink(content.toString(), join(folder, path));
    else await writeFile(join(folder, path), content, { flag: 'wx' });
  }
}
