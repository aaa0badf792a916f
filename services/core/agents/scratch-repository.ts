/** Git without a working tree: what is fetched and built lives in a temporary bare repository until it is pushed. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Git failed or took too long; the message is git's own and may name the repository. */
export class GitFailed extends Error {
  override readonly name = 'GitFailed';
}

export interface ScratchRepository extends AsyncDisposable {
  /** Standard output of a git command. @throws GitFailed */
  git(args: readonly string[], options?: { input?: string | Buffer; env?: Record<string, string> }): Promise<Buffer>;
}

/** Long enough for a large repository over a slow line, short enough for a person who waits. */
const timeoutMs = 60_000;
const maxOutputBytes = 128 * 1024 * 1024;

/** `environment` is all that git sees: PATH, and what reaches the remote (keys, tokens). Hooks never run. */
export async function openScratchRepository(environment: Readonly<Record<string, string>>): Promise<ScratchRepository> {
  const home = await mkdtemp(join(tmpdir(), 'parley-edit-'));
  const env = {
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    HOME: home,
    LC_ALL: 'C',
    ...environment,
  };
  const always = ['--git-dir', join(home, 'repository'), '-c', 'core.hooksPath=/dev/null', '-c', 'gc.auto=0'];
  const run: ScratchRepository['git'] = (args, { input, env: more } = {}) =>
    new Promise((resolve, reject) => {
      const child = execFile(
        'git',
        [...always, ...args],
        { env: { ...env, ...more }, encoding: 'buffer', timeout: timeoutMs, maxBuffer: maxOutputBytes },
        (error, stdout, stderr) => {
          if (!error) return resolve(stdout);
          reject(new GitFailed(`git ${args[0]}: ${stderr.toString().trim().slice(-2_000) || error.message}`));
        },
      );
      // Git may end before it has read everything; how it ended says what matters.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(input);
    });
  await run(['init', '--quiet', '--bare', '--template=']);
  return { git: run, [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }) };
}
