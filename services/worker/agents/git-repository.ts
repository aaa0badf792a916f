import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { type GitAccess, gitEnvironment } from './git-access.ts';
import { GitError, runGit } from './run-git.ts';

/** A branch of a repository that is only ever read. */
export interface GitRepository {
  /** The commit at the branch's head now. @throws GitError when the repository or the branch can't be read */
  head(): Promise<string>;
  /** Brings the branch's head here: a commit that is the same as or later than any `head` told before. */
  fetch(): Promise<string>;
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
const readTimeoutMs = 30_000;
/** Far above what loading accepts: this only protects the disk and the memory of the worker. */
const maxFiles = 2_000;
const maxBytes = 64 * 1024 * 1024;
const maxListBytes = 8 * 1024 * 1024;
/** Git's housekeeping is off; a fresh copy now and then is less than it. */
const fetchesPerCopy = 200;

const folders = ['tools', 'knowledge', 'scenarios'];
const ours = new RegExp(`^(?:(?:${folders.join('|')})/)?[^/.][^/]*\\.(?:yaml|yml|md)$`);

/** Nothing is contacted before the first call; what is fetched lives in a folder of this process until `close`. */
export async function openGitRepository(options: GitRepositoryOptions): Promise<GitRepository> {
  const home = await mkdtemp(join(tmpdir(), 'parley-git-'));
  const gitDir = join(home, 'repository');
  const { url, branch, signal } = options;
  const ref = `refs/heads/${branch}`;
  let fetches = 0;

  const git = (args: string[], { timeoutMs = readTimeoutMs, maxOutputBytes = maxListBytes, input = '' } = {}) =>
    runGit(args, {
      gitDir,
      // Anew each time: a token that was changed holds at once.
      env: gitEnvironment(options, { home, env: options.env }),
      input,
      timeoutMs,
      maxOutputBytes,
      signal,
    });
  const begin = async () => {
    await rm(gitDir, { recursive: true, force: true });
    await git(['init', '--quiet', '--bare', '--template=']);
  };

  return {
    head: async () => {
      const list = await git(['ls-remote', '--', url, ref], { timeoutMs: askTimeoutMs });
      const lines = list.toString().split('\n');
      const line = lines.find((text) => text.endsWith(`\t${ref}`));
      if (!line) throw new GitError(`the repository has no branch ${branch}`);
      return line.slice(0, line.indexOf('\t'));
    },
    fetch: async () => {
      if (fetches % fetchesPerCopy === 0) await begin();
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
    checkOut: async (commit, path, folder) => {
      const tree = path === '.' ? `${commit}^{tree}` : `${commit}:${path}`;
      const entries = await listFiles(git, tree);
      const blobs = await git(['cat-file', '--batch'], {
        input: entries.map(({ id }) => `${id}\n`).join(''),
        maxOutputBytes: maxBytes + entries.length * 100,
      });
      for (const name of folders) await mkdir(join(folder, name), { recursive: true });
      await writeEntries(entries, blobs, folder);
      return entries.length;
    },
    close: () => rm(home, { recursive: true, force: true }),
  };
}

type Git = (args: string[], options?: { input?: string; maxOutputBytes?: number }) => Promise<Buffer>;

interface Entry {
  mode: string;
  id: string;
  file: string;
}

/** What could be an agent's file; a folder that is not in the commit has none. */
async function listFiles(git: Git, tree: string): Promise<Entry[]> {
  const type = await git(['cat-file', '-t', tree]).catch(() => undefined);
  if (type?.toString().trim() !== 'tree') return [];
  const list = await git(['ls-tree', '-r', '-l', '-z', tree]);
  const all = list.toString().split('\0').flatMap(parseEntry);
  const bytes = all.reduce((sum, { size }) => sum + size, 0);
  if (all.length > maxFiles || bytes > maxBytes)
    throw new GitError(
      `the path has ${all.length} agents' files of ${bytes} bytes; at most ${maxFiles} and ${maxBytes} are read`,
    );
  return all;
}

function parseEntry(line: string): (Entry & { size: number })[] {
  const [, mode, type, id, size, file] = /^(\d{6}) (\w+) ([0-9a-f]{40,64}) +(\d+|-)\t(.+)$/s.exec(line) ?? [];
  if (mode === undefined || id === undefined || file === undefined || type !== 'blob' || !ours.test(file)) return [];
  return [{ mode, id, file: posix.normalize(file), size: Number(size) }];
}

const symbolicLink = '120000';

/** Written by ourselves, under names that were checked: a tree from outside never decides where git writes. */
async function writeEntries(entries: readonly Entry[], blobs: Buffer, folder: string): Promise<void> {
  let at = 0;
  for (const { mode, id, file } of entries) {
    const headEnd = blobs.indexOf(10, at);
    const [, , size] = blobs.toString('latin1', at, headEnd).split(' ');
    if (headEnd < 0 || size === undefined) throw new GitError(`the contents of ${file} (${id}) are not there`);
    const content = blobs.subarray(headEnd + 1, headEnd + 1 + Number(size));
    at = headEnd + 2 + Number(size);
    // A link stays one: loading follows it within the folder and refuses it where it leads out.
    if (mode === symbolicLink) await symlink(content.toString(), join(folder, file));
    else await writeFile(join(folder, file), content, { flag: 'wx' });
  }
}
