import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const testAgents = new URL('../../agents/', import.meta.url).pathname;

const settings = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Author',
  GIT_AUTHOR_EMAIL: 'author@example.com',
  GIT_COMMITTER_NAME: 'Author',
  GIT_COMMITTER_EMAIL: 'author@example.com',
};

async function git(folder: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('git', args, { cwd: folder, env: { PATH: process.env.PATH ?? '', ...settings } });
  return stdout.trim();
}

/** A bare repository on disk, as a Git host keeps it, and people who push to it. */
export class GitRemote implements AsyncDisposable {
  readonly #root: string;
  readonly url: string;
  #people = 0;

  private constructor(root: string) {
    this.#root = root;
    this.url = join(root, 'agents.git');
  }

  static async create(): Promise<GitRemote> {
    const remote = new GitRemote(await mkdtemp(join(tmpdir(), 'parley-remote-')));
    await git(dirname(remote.url), 'init', '--quiet', '--bare', '--initial-branch=main', remote.url);
    return remote;
  }

  /** A working copy of their own, at the branch's head. */
  async person(): Promise<GitPerson> {
    this.#people += 1;
    const folder = join(this.#root, `person-${this.#people}`);
    await git(this.#root, 'clone', '--quiet', this.url, folder);
    return new GitPerson(folder);
  }

  /** Somebody who has pushed the tests' agents as the first commit. */
  async firstAuthor(): Promise<GitPerson> {
    const author = await this.person();
    await author.copyIn(testAgents, 'agents');
    await author.commit('The first agents');
    await author.push();
    return author;
  }

  head = (branch = 'main'): Promise<string> => git(this.url, 'rev-parse', `refs/heads/${branch}`);
  deleteBranch = (branch: string): Promise<string> => git(this.url, 'update-ref', '-d', `refs/heads/${branch}`);
  vanish = (): Promise<void> => rename(this.url, `${this.url}.away`);
  comeBack = (): Promise<void> => rename(`${this.url}.away`, this.url);

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#root, { recursive: true, force: true });
  }
}

export class GitPerson {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  git = (...args: string[]): Promise<string> => git(this.folder, ...args);
  copyIn = (from: string, path: string): Promise<void> => cp(from, join(this.folder, path), { recursive: true });

  read = (path: string): Promise<string> => readFile(join(this.folder, path), 'utf8');

  async write(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.folder, path)), { recursive: true });
    await writeFile(join(this.folder, path), text);
  }

  /** Everything in the working copy as one commit; returns its id. */
  async commit(message: string): Promise<string> {
    await this.git('add', '--all');
    await this.git('commit', '--quiet', '--allow-empty', '--message', message);
    return this.git('rev-parse', 'HEAD');
  }

  push = (...args: string[]): Promise<string> => this.git('push', '--quiet', ...args, 'origin', 'HEAD:main');

  /** Writes one file, commits and pushes; returns the commit's id. */
  async merge(path: string, text: string): Promise<string> {
    await this.write(path, text);
    const commit = await this.commit(`Change ${path}`);
    await this.push();
    return commit;
  }
}
