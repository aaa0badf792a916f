import { policiesFileName } from '../../agent-files/check-files.ts';
import { agentFolders, maxFilesInFolder, maxTotalBytes } from '../../agent-files/load.ts';
import type { AgentsFolder } from '../../agent-files/read/folder.ts';
import type { AgentFileText } from '../../core/agents/source-files.ts';
import { plainLine } from '../../core/finish/plain-text.ts';
import type { GitAccess } from '../../core/git/access.ts';
import { GitError } from '../../core/git/run-git.ts';
import { openScratchRepository } from '../../core/git/scratch-repository.ts';
import { listTree, readBlobs, type TreeEntry } from '../../core/git/tree.ts';
import { folderOfCommit } from './commit-folder.ts';

/** A branch of a repository that is only ever read. */
export interface GitRepository {
  /** The commit at the branch's head now. @throws GitError when the repository or the branch can't be read */
  head(): Promise<string>;
  /** Brings the branch's head here: a commit that is the same as or later than any `head` told before. */
  fetch(): Promise<string>;
  /** Who wrote a fetched commit, and the first line of its message. */
  describe(commit: string): Promise<{ author: string; subject: string }>;
  /** The texts of the agents themselves in a fetched commit; links and what is no UTF-8 are left out. */
  agentTexts(commit: string, path: string): Promise<AgentFileText[]>;
  /** The agents' files of a fetched commit, in memory. @throws GitError when there is too much of them */
  folder(commit: string, path: string): Promise<AgentsFolder>;
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
/** Above what loading accepts, which says it with a place: this only protects the memory of the worker. */
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
      if (fetches % fetchesPerCopy === 0) await scratch.begin();
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
      return { author: plainLine(author, longestLine), subject: plainLine(subject, longestLine) };
    },
    agentTexts: async (commit, path) => {
      const entries = (await listTree(git, treeOf(commit, path))).flatMap((entry) => {
        const agent = ordinaryFile.test(entry.mode) ? agentFile.exec(entry.path)?.[1] : undefined;
        return agent === undefined || entry.path === policiesFileName ? [] : [{ ...entry, agent }];
      });
      refuseTooMuch(entries);
      const contents = await readBlobs(git, entries);
      return entries.flatMap(({ agent, id }, index) => {
        const text = utf8Of(contents[index]);
        return text === undefined ? [] : [{ agent, id, text }];
      });
    },
    folder: async (commit, path) => {
      const all = await listTree(git, treeOf(commit, path));
      const entries = all.filter((entry) => ours.test(entry.path));
      refuseTooMuch(entries);
      return folderOfCommit(entries, await readBlobs(git, entries));
    },
    close: async () => scratch[Symbol.asyncDispose](),
  };
}

const treeOf = (commit: string, path: string): string => (path === '.' ? `${commit}^{tree}` : `${commit}:${path}`);
const ordinaryFile = /^100(?:644|755)$/;
const agentFile = /^([^/.][^/]*)\.yaml$/;

function utf8Of(bytes: Buffer | undefined): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function refuseTooMuch(entries: readonly TreeEntry[]): void {
  const bytes = entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (entries.length > maxFiles || bytes > maxBytes)
    throw new GitError(
      `the path has ${entries.length} agents' files of ${bytes} bytes; at most ${maxFiles} and ${maxBytes} are read`,
    );
}
