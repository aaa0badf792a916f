import { type ChildEnd, type ChildRun, runChild } from '../../process/run-child.ts';

export interface GitRun extends Pick<ChildRun, 'input' | 'timeoutMs' | 'maxOutputBytes' | 'signal'> {
  /** The repository to work in. */
  gitDir?: string;
  env: Readonly<Record<string, string>>;
}

export class GitError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'GitError';
  }
}

/**
 * Runs git without a shell and gives its standard output. Its children (ssh, the HTTP helper) end with it.
 * @throws GitError when it fails, takes too long, says too much or `signal` fires
 */
export async function runGit(args: readonly string[], { gitDir, ...run }: GitRun): Promise<Buffer> {
  const place = gitDir === undefined ? [] : ['--git-dir', gitDir];
  const end = await runChild('git', [...place, ...args], run).catch((error: Error) => {
    throw new GitError(`git could not be started (${error.message}): is it installed?`);
  });
  if (end.killedFor === undefined && end.status === 0) return end.output;
  throw new GitError(`git ${args[0]} ${howItEnded(end, run)}`);
}

function howItEnded(
  { status, lastWords, killedFor }: ChildEnd,
  { timeoutMs, maxOutputBytes }: Pick<GitRun, 'timeoutMs' | 'maxOutputBytes'>,
): string {
  if (killedFor === 'the signal') return 'was stopped';
  if (killedFor === 'taking too long') return `took longer than ${timeoutMs / 1_000} s`;
  if (killedFor === 'saying too much') return `said more than ${maxOutputBytes} bytes`;
  return `ended with ${status}: ${lastWords.trim() || 'it said nothing'}`;
}
