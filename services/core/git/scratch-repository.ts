import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bestEffort } from '../../process/best-effort.ts';
import { abandonedFolders, folderPrefix } from './abandoned-folders.ts';
import { type GitAccess, gitEnvironment } from './access.ts';
import { runGit } from './run-git.ts';

/** A bare repository of this process, without a working tree: what is fetched and built lives here until it is pushed or read. */
export interface ScratchRepository extends AsyncDisposable {
  git: Git;
  /** Makes it, without anything that was fetched before: to be called first. @throws GitError */
  begin(): Promise<void>;
}

/** Standard output of a git command. @throws GitError */
export type Git = (args: readonly string[], options?: GitOptions) => Promise<Buffer>;

export interface GitOptions {
  input?: string | Buffer;
  env?: Readonly<Record<string, string>>;
  timeoutMs?: number;
  maxOutputBytes?: number;
}

export interface ScratchOptions {
  /** The process's own variables, of which git sees PATH and the token that `access` names. */
  env: Readonly<Record<string, string | undefined>>;
  /** Ends what git is doing. */
  signal?: AbortSignal;
}

/** Long enough for a large repository over a slow line, short enough for a person who waits. */
const usualTimeoutMs = 60_000;
const usualOutputBytes = 128 * 1024 * 1024;
const never = new AbortController().signal;

/** Nothing is run or contacted by this. Hooks and the settings of this machine are not followed. */
export async function openScratchRepository(
  access: GitAccess,
  { env, signal = never }: ScratchOptions,
): Promise<ScratchRepository> {
  // What a killed process left would fill the disk in the end.
  for (const folder of await abandonedFolders(tmpdir()))
    await bestEffort('the next repository tries again', rm(folder, { recursive: true, force: true }));
  const home = await mkdtemp(join(tmpdir(), folderPrefix()));
  const gitDir = join(home, 'repository');
  const git: Git = async (args, { input = '', env: more, ...bounds } = {}) =>
    runGit(args, {
      gitDir,
      // Anew each time: a token that was changed holds at once.
      env: { ...gitEnvironment(access, { home, env }), ...more },
      input,
      timeoutMs: bounds.timeoutMs ?? usualTimeoutMs,
      maxOutputBytes: bounds.maxOutputBytes ?? usualOutputBytes,
      signal,
    });
  const begin = async () => {
    await rm(gitDir, { recursive: true, force: true });
    await git(['init', '--quiet', '--bare', '--template=']);
  };
  return { git, begin, [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }) };
}
