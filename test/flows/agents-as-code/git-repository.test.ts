import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadAgents } from '../../../services/agent-files/load.ts';
import { type GitRepository, openGitRepository } from '../../../services/worker/agents/git-repository.ts';
import { serveGitOverHttp } from '../../support/stand-ins/git-http.ts';
import { type GitPerson, GitRemote } from '../../support/stand-ins/git-remote.ts';

let remote: GitRemote;
let author: GitPerson;
const folders: string[] = [];

beforeAll(async () => {
  remote = await GitRemote.create();
  author = await remote.firstAuthor();
});

afterAll(async () => {
  await remote?.[Symbol.asyncDispose]();
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
});

const access = { tokenUser: 'x-access-token', branch: 'main', env: { PATH: process.env.PATH } };

function open(url: string, more: { tokenEnv?: string; branch?: string; env?: Record<string, string> } = {}) {
  const env = { ...access.env, ...more.env };
  return openGitRepository({ ...access, ...more, env, url, signal: new AbortController().signal });
}

const folderOf = async (repository: GitRepository, path = 'agents') =>
  repository.folder(await repository.fetch(), path);

test('a private repository is read over HTTP with the token, which is in no error', async () => {
  const tokens = { reads: 'hidden-token' };
  await using server = await serveGitOverHttp(dirname(remote.url), { repository: 'agents.git', tokens });
  const good = await open(server.url, { tokenEnv: 'TOKEN', env: { TOKEN: 'hidden-token' } });
  expect(await good.head()).toBe(await remote.head());
  expect(await (await folderOf(good)).names('')).toContain('echo.yaml');
  await good.close();
  expect(new Set(server.asked.map(({ token }) => token))).toEqual(new Set(['hidden-token']));
  const bad = await open(server.url, { tokenEnv: 'TOKEN', env: { TOKEN: 'wrong-token' } });
  const error = await bad.head().catch((fault: Error) => fault.message);
  expect(error).toMatch(/git ls-remote ended with 128/);
  expect(error).not.toContain('wrong-token');
  expect(error).not.toContain(Buffer.from('x-access-token:wrong-token').toString('base64'));
  await bad.close();
});

test('links within the folder are followed; one that leads out, nowhere or in a circle is a located fault', async () => {
  const links = {
    'another.yaml': 'echo.yaml',
    'absolute.yaml': '/etc/passwd',
    'circle.yaml': 'circle.yaml',
    'nowhere.yaml': 'gone.yaml',
    'outside.yaml': '../../../../../../../../etc/passwd',
    'tools/outside.yaml': '../../README.md',
  };
  for (const [link, target] of Object.entries(links)) await symlink(target, join(author.folder, 'agents', link));
  await author.write('README.md', 'Outside the agents.\n');
  await author.commit('Links');
  await author.push();
  const repository = await open(remote.url);
  const { agents, faults } = await loadAgents(await folderOf(repository), { environment: 'development' });
  expect(agents.map(({ agent }) => agent.agent)).toEqual(['another', 'echo']);
  expect(faults.map(({ file, rule }) => [file, rule])).toEqual([
    ['absolute.yaml', 'file-outside'],
    ['circle.yaml', 'file-unreadable'],
    ['nowhere.yaml', 'file-unreadable'],
    ['outside.yaml', 'file-outside'],
    ['tools/outside.yaml', 'file-outside'],
  ]);
  // What a working copy of the same commit is told.
  const onDisk = await loadAgents(join(author.folder, 'agents'), { environment: 'development' });
  expect(faults).toEqual(onDisk.faults);
  await repository.close();
  await author.git('revert', '--no-edit', 'HEAD');
  await author.push();
});

test('only agents’ files come out of the repository, whatever else is in the folder', async () => {
  for (const path of ['agents/deep/er/x.yaml', 'agents/.hidden.yaml', 'agents/run.sh', 'other/second.yaml'])
    await author.write(path, 'x: 1\n');
  await author.commit('More files');
  await author.push();
  const repository = await open(remote.url);
  const folder = await folderOf(repository);
  expect(await folder.names('')).toEqual(['echo.yaml']);
  expect(await folder.names('deep')).toEqual([]);
  expect(await folder.read('echo.yaml', 1_000_000)).toEqual(await readFile(join(author.folder, 'agents/echo.yaml')));
  expect(await (await folderOf(repository, 'nowhere')).names('')).toEqual([]);
  await repository.close();
});

test('what a commit says of itself is a line of text, whatever its author wrote for the terminals that show it', async () => {
  const change = ['-c', 'user.name=x', 'commit', '--quiet', '--allow-empty'];
  await author.git(
    ...change,
    '--author',
    '\x1b]0;root\x07Ada <ada@example.com>',
    '-m',
    'Fix\x1b[2J\x1b[1;1Hall is \u202ewell',
  );
  await author.push();
  const repository = await open(remote.url);
  const commit = await repository.fetch();
  expect(await repository.describe(commit)).toEqual({ author: ']0;root Ada', subject: 'Fix [2J [1;1Hall is well' });
  await repository.close();
});

test('hooks and settings of the repository and of this machine are not followed', async () => {
  const mark = join(dirname(remote.url), 'mark');
  const home = await mkdtemp(join(tmpdir(), 'parley-home-'));
  folders.push(home);
  await writeFile(join(home, '.gitconfig'), `[url "file:///nowhere/"]\n\tinsteadOf = ${dirname(remote.url)}/\n`);
  const repository = await open(remote.url, {
    env: { HOME: home, GIT_SSH_COMMAND: `touch ${mark}`, GIT_CONFIG_GLOBAL: join(home, '.gitconfig') },
  });
  expect(await repository.head()).toBe(await remote.head());
  await repository.close();
  expect(await readdir(dirname(mark))).not.toContain('mark');
});

test('a repository without commits, and one without the branch, say so', async () => {
  await using empty = await GitRemote.create();
  for (const [url, branch] of [
    [empty.url, 'main'],
    [remote.url, 'release'],
  ] as const) {
    const repository = await open(url, { branch });
    await expect(repository.head()).rejects.toThrow(`the repository has no branch ${branch}`);
    await expect(repository.fetch()).rejects.toThrow(/git fetch ended with 128/);
    await repository.close();
  }
});

test('a machine without git is told of when the repository is looked at, and stops nothing before', async () => {
  const repository = await open(remote.url, { env: { PATH: '/nowhere' } });
  await expect(repository.head()).rejects.toThrow(/could not be started .*is it installed/);
  await expect(repository.fetch()).rejects.toThrow(/is it installed/);
  await repository.close();
});
