import { spawn } from 'node:child_process';

export interface GitRun {
  /** The repository to work in. */
  gitDir?: string;
  env: Readonly<Record<string, string>>;
  input?: string | Buffer;
  timeoutMs: number;
  maxOutputBytes: number;
  signal: AbortSignal;
}

export class GitError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'GitError';
  }
}

const stderrKept = 2_000;

/**
 * Runs git without a shell and gives its standard output. Its children (ssh, the HTTP helper) end with it.
 * @throws GitError when it fails, takes too long, says too much or `signal` fires
 */
export function runGit(args: readonly string[], run: GitRun): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const place = run.gitDir === undefined ? [] : ['--git-dir', run.gitDir];
  const child = spawn('git', [...place, ...args], { env: run.env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  const name = `git ${args[0]}`;
  const out: Buffer[] = [];
  let size = 0;
  let said = '';
  let cause: string | undefined;
  const end = (why: string) => {
    cause ??= why;
    killGroup(child.pid);
  };
  const stop = () => end(`${name} was stopped`);
  const timer = setTimeout(() => end(`${name} took longer than ${run.timeoutMs / 1000} s`), run.timeoutMs);
  run.signal.addEventListener('abort', stop, { once: true });
  if (run.signal.aborted) stop();
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > run.maxOutputBytes) end(`${name} said more than ${run.maxOutputBytes} bytes`);
    else out.push(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk).slice(-stderrKept);
  });
  // It may have ended before it read everything; how it ended says what matters.
  child.stdin.on('error', () => undefined);
  child.stdin.end(run.input);
  const over = () => {
    clearTimeout(timer);
    run.signal.removeEventListener('abort', stop);
  };
  child.once('error', (error) => {
    over();
    reject(new GitError(`git could not be started (${error.message}): is it installed?`));
  });
  child.once('close', (code) => {
    over();
    if (cause !== undefined) reject(new GitError(cause));
    else if (code === 0) resolve(Buffer.concat(out));
    else reject(new GitError(`${name} ended with ${code}: ${said.trim() || 'it said nothing'}`));
  });
  return promise;
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
