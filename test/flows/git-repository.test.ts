import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadAgents } from '../../services/contract/agents/load.ts';
import { type GitRepository, openGitRepository } from '../../services/worker/agents/git-repository.ts';
import { serveGitOverHttp } from '../support/git-http.ts';
import { type GitPerson, GitRemote } from '../support/git-remote.ts';

let remote: GitRemote;
let author: GitPerson;
const folders: string[] = [];

beforeAll(async () => {
  remote = await GitRemote.create();
  author = await remote.person();
  await author.copyIn(new URL('../agents/', import.meta.url).pathname, 'agents');
  await author.commit('The first agents');
  await author.push();
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

async function checkOut(repository: GitRepository, path = 'agents'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-checkout-'));
  folders.push(folder);
  await repository.checkOut(await repository.fetch(), path, folder);
  return folder;
}

test('a private repository is read over HTTP with the token, which is in no error', async () => {
  const authorization = `Basic ${Buffer.from('x-access-token:hidden-token').toString('base64')}`;
  await using server = await serveGitOverHttp(dirname(remote.url), { repository: 'agents.git', authorization });
  const good = await open(server.url, { tokenEnv: 'TOKEN', env: { TOKEN: 'hidden-token' } });
  expect(await good.head()).toBe(await remote.head());
  expect(await readdir(await checkOut(good))).toContain('echo.yaml');
  await good.close();
  expect(new Set(server.authorizations)).toEqual(new Set([authorization]));
  const bad = await open(server.url, { tokenEnv: 'TOKEN', env: { TOKEN: 'wrong-token' } });
  const error = await bad.head().catch((fault: Error) => fault.message);
  expect(error).toMatch(/git ls-remote ended with 128/);
  expect(error).not.toContain('wrong-token');
  expect(error).not.toContain(Buffer.from('x-access-token:wrong-token').toString('base64'));
  await bad.close();
});

test('a link in the repository that leads out of it is a located fault, and nothing behind it is read', async () => {
  await symlink('/etc/passwd', join(author.folder, 'agents/knowledge.yaml'));
  await author.commit('A link');
  await author.push();
  const repository = await open(remote.url);
  const { faults } = await loadAgents(await checkOut(repository));
  expect(faults).toMatchObject([{ file: 'knowledge.yaml', rule: 'file-outside' }]);
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
  const folder = await checkOut(repository);
  expect((await readdir(folder)).toSorted()).toEqual(['echo.yaml', 'knowledge', 'scenarios', 'tools']);
  const theirs = await readFile(join(author.folder, 'agents/echo.yaml'));
  expect(await readFile(join(folder, 'echo.yaml'))).toEqual(theirs);
  expect(await readdir(await checkOut(repository, 'nowhere'))).not.toContain('echo.yaml');
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
