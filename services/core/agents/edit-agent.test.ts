import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type AgentEdit, editAgent, findCommitOfJob, type PromptRepository, readPrompt } from './edit-agent.ts';

const desk = `# The desk of the house.
name:   Desk   # as people see it

prompt: |
  Be kind.

languages:
  - { code: en, name: English }
`;

const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];

/** A real bare repository with an agent in agents/, and what a person with a clone would see and push. */
async function startRepository(files: Record<string, string> = { 'desk.yaml': desk }) {
  const root = await mkdtemp(join(tmpdir(), 'parley-edit-test-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const bare = join(root, 'agents.git');
  const clone = join(root, 'clone');
  const git = (...args: string[]) => execFileSync('git', [...identity, ...args], { encoding: 'utf8', stdio: 'pipe' });
  git('init', '--quiet', '--bare', '--initial-branch=main', bare);
  git('init', '--quiet', '--initial-branch=main', clone);
  const push = async (changed: Record<string, string>, message = 'change') => {
    for (const [name, text] of Object.entries(changed)) {
      const path = join(clone, name);
      await mkdir(join(path, '..'), { recursive: true });
      await writeFile(path, text);
    }
    git('-C', clone, 'add', '-A');
    git('-C', clone, 'commit', '--quiet', '-m', message);
    git('-C', clone, 'push', '--quiet', bare, 'HEAD:main');
  };
  await push({ ...prefixed(files), 'README.md': 'Not an agent.\n' });
  const repository: PromptRepository = {
    url: bare,
    branch: 'main',
    path: 'agents',
    tokenUser: 'x-access-token',
    env: { PATH: process.env.PATH },
  };
  const show = (what: string) => git('--git-dir', bare, 'show', what);
  const log = (branch = 'main') => git('--git-dir', bare, 'log', '--format=%an <%ae> %s', branch).trim().split('\n');
  const pull = () => git('-C', clone, 'pull', '--quiet', bare, 'main');
  return { repository, push, pull, show, log, bare };
}

const prefixed = (files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [`agents/${name}`, text]));

const byAda = ({
  prompt,
  ...edit
}: Omit<AgentEdit, 'author' | 'message' | 'wanted'> & { prompt: string }): AgentEdit => ({
  ...edit,
  wanted: { prompt },
  author: { name: 'Ada', email: 'ada@example.com' },
  message: 'Kinder words',
});

test('a prompt is committed by its author, and nothing else of the file changes', async () => {
  const { repository, show, log } = await startRepository();
  const { prompt, fileId } = await readPrompt(repository, 'desk');
  expect(prompt).toBe('Be kind.\n');
  const done = await editAgent(
    repository,
    byAda({ agent: 'desk', prompt: 'Be kind.\n\nAnd brief.', editedFileId: fileId }),
  );
  expect(done).toMatchObject({ branch: 'main', changed: true, warnings: [] });
  expect(show('main:agents/desk.yaml')).toBe(desk.replace('Be kind.\n', 'Be kind.\n\n  And brief.\n'));
  expect(show('main:README.md')).toBe('Not an agent.\n');
  expect(log()).toEqual(['Ada <ada@example.com> Kinder words', 'Test <test@example.com> change']);
  expect(await readPrompt(repository, 'desk')).toMatchObject({ fileId: done.fileId, commit: done.commit });
});

test('of two people who edit at once one writes, and the other is told', async () => {
  const { repository, log, show } = await startRepository();
  const { fileId } = await readPrompt(repository, 'desk');
  const outcomes = await Promise.allSettled(
    ['One.', 'Two.'].map((prompt) => editAgent(repository, byAda({ agent: 'desk', prompt, editedFileId: fileId }))),
  );
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  const lost = outcomes.find((outcome) => outcome.status === 'rejected');
  expect(lost?.reason).toMatchObject({ status: 409, code: 'prompt_conflict' });
  expect(log()).toHaveLength(2);
  const won = outcomes.findIndex(({ status }) => status === 'fulfilled') === 0 ? 'One.' : 'Two.';
  expect(show('main:agents/desk.yaml')).toBe(desk.replace('Be kind.', won));
});

test('two people who edit two agents at once both write', async () => {
  const { repository, log } = await startRepository({ 'desk.yaml': desk, 'shop.yaml': desk });
  const edits = await Promise.all(
    ['desk', 'shop'].map(async (agent) => {
      const { fileId } = await readPrompt(repository, agent);
      return byAda({ agent, prompt: `I am ${agent}.`, editedFileId: fileId });
    }),
  );
  await Promise.all(edits.map((edit) => editAgent(repository, edit)));
  expect(log()).toHaveLength(3);
  expect((await readPrompt(repository, 'desk')).prompt.trim()).toBe('I am desk.');
  expect((await readPrompt(repository, 'shop')).prompt.trim()).toBe('I am shop.');
});

test('what was pushed to the file in between is not overwritten, and what was pushed beside it does not matter', async () => {
  const { repository, push, pull, show } = await startRepository();
  const { fileId } = await readPrompt(repository, 'desk');
  await push({ 'README.md': 'Another text.\n' });
  const done = await editAgent(repository, byAda({ agent: 'desk', prompt: 'First.', editedFileId: fileId }));
  expect(show('main:README.md')).toBe('Another text.\n');
  pull();
  await push(prefixed({ 'desk.yaml': desk.replace('Desk', 'Front desk') }));
  const second = editAgent(repository, byAda({ agent: 'desk', prompt: 'Second.', editedFileId: done.fileId }));
  await expect(second).rejects.toMatchObject({ code: 'prompt_conflict' });
  expect(show('main:agents/desk.yaml')).toContain('Front desk');
});

test('a prompt that would be refused is not committed, and its place is told', async () => {
  const { repository, log } = await startRepository({ 'desk.yaml': desk, 'broken.yaml': 'nme: x\n' });
  const { fileId } = await readPrompt(repository, 'desk');
  const wrong = editAgent(repository, byAda({ agent: 'desk', prompt: 'It is\n{{dat}}.', editedFileId: fileId }));
  await expect(wrong).rejects.toMatchObject({
    status: 400,
    details: [{ path: 'desk.yaml:6:3', message: expect.stringContaining('Did you mean {{date}}?') }],
  });
  expect(log()).toHaveLength(1);
  // Faults of another file, which were there before, lock nobody out.
  await editAgent(repository, byAda({ agent: 'desk', prompt: 'It is {{date}}.', editedFileId: fileId }));
  expect(log()).toHaveLength(2);
});

test('a policy refuses a prompt as it refuses a revision', async () => {
  const { repository } = await startRepository();
  const { fileId } = await readPrompt(repository, 'desk');
  const policies = [{ name: 'short', check: () => [{ path: ['prompt'], message: 'Too long.' }] }];
  const edit = byAda({ agent: 'desk', prompt: 'Other.', editedFileId: fileId });
  // It was refused before as well, so it is not this edit's fault.
  expect((await editAgent(repository, edit, { policies })).changed).toBe(true);
  const onNewText = [{ name: 'kind', check: ({ prompt }: { prompt: string }) => kindness(prompt) }];
  const next = byAda({
    agent: 'desk',
    prompt: 'Be rude.',
    editedFileId: (await readPrompt(repository, 'desk')).fileId,
  });
  await expect(editAgent(repository, next, { policies: onNewText })).rejects.toMatchObject({ status: 400 });
});

const kindness = (prompt: string) => (prompt.includes('rude') ? [{ path: ['prompt'], message: 'Be kind.' }] : []);

test('a proposal stands on a branch of its own, which is never written twice', async () => {
  const { repository, show, log } = await startRepository();
  const { fileId } = await readPrompt(repository, 'desk');
  const proposal = (prompt: string) =>
    editAgent(repository, byAda({ agent: 'desk', prompt, editedFileId: fileId, proposalBranch: 'parley/desk-1' }));
  expect(await proposal('One.')).toMatchObject({ branch: 'parley/desk-1' });
  await expect(proposal('Two.')).rejects.toMatchObject({ code: 'proposal_exists' });
  expect(show('parley/desk-1:agents/desk.yaml')).toContain('One.');
  expect(show('main:agents/desk.yaml')).toBe(desk);
  expect(log()).toHaveLength(1);
});

test('a branch that takes no changes is told of, and a proposal still works', async () => {
  const { repository, bare, log } = await startRepository();
  await writeFile(join(bare, 'hooks', 'update'), '#!/bin/sh\ntest "$1" != refs/heads/main\n', { mode: 0o755 });
  const { fileId } = await readPrompt(repository, 'desk');
  const edit = byAda({ agent: 'desk', prompt: 'x', editedFileId: fileId });
  await expect(editAgent(repository, edit)).rejects.toMatchObject({ code: 'branch_protected' });
  expect(log()).toHaveLength(1);
  expect((await editAgent(repository, { ...edit, proposalBranch: 'parley/x' })).changed).toBe(true);
});

test('the same prompt again makes no commit', async () => {
  const { repository, log } = await startRepository();
  const { fileId, commit, prompt } = await readPrompt(repository, 'desk');
  const done = await editAgent(repository, byAda({ agent: 'desk', prompt, editedFileId: fileId }));
  expect(done).toMatchObject({ changed: false, commit });
  expect(log()).toHaveLength(1);
});

test('what cannot be edited is refused in plain words', async () => {
  const { repository } = await startRepository({ 'desk.yaml': desk, 'broken.yaml': 'prompt: "x\n' });
  await expect(readPrompt(repository, 'dusk')).rejects.toMatchObject({ code: 'agent_not_found' });
  await expect(readPrompt(repository, 'broken')).rejects.toMatchObject({ code: 'prompt_not_editable' });
  await expect(readPrompt({ ...repository, url: '/nowhere/at/all' }, 'desk')).rejects.toMatchObject({ status: 503 });
  await expect(readPrompt({ ...repository, branch: 'other' }, 'desk')).rejects.toMatchObject({ status: 503 });
  const overHttps = { ...repository, url: 'https://git.example.com/agents.git', tokenEnv: 'NOT_SET' };
  await expect(readPrompt(overHttps, 'desk')).rejects.toMatchObject({ status: 503 });
  const { fileId } = await readPrompt(repository, 'desk');
  const edit = byAda({ agent: 'desk', prompt: 'x', editedFileId: fileId });
  for (const proposalBranch of ['--upload-pack=x', 'a..b', 'a b', 'x.lock', ''])
    await expect(editAgent(repository, { ...edit, proposalBranch })).rejects.toMatchObject({ status: 400 });
  const forged = { name: 'Ada\ncommitter Eve', email: 'a@b' };
  await expect(editAgent(repository, { ...edit, author: forged })).rejects.toMatchObject({ status: 400 });
});

test('a commit names its job, and whoever repeats the job finds it, on the branch or on a proposal, under what came after', async () => {
  const { repository, push, pull, bare } = await startRepository();
  const { fileId } = await readPrompt(repository, 'desk');
  const job = '6f0c2d5e-0000-4000-8000-000000000001';
  const branches = ['main', 'parley/desk-6f0c2d5e'];
  const find = (wanted = job) =>
    findCommitOfJob(repository, { job: wanted, agent: 'desk', wanted: { prompt: 'One.' }, branches });
  expect(await find()).toBeUndefined();
  const proposed = {
    ...byAda({ agent: 'desk', prompt: 'One.', editedFileId: fileId }),
    job,
    proposalBranch: branches[1],
  };
  const { commit, fileId: written } = await editAgent(repository, proposed as AgentEdit);
  expect(await find()).toEqual({ commit, branch: 'parley/desk-6f0c2d5e', fileId: written });
  const other = '6f0c2d5e-0000-4000-8000-000000000002';
  const done = await editAgent(repository, {
    ...byAda({ agent: 'desk', prompt: 'Two.', editedFileId: fileId }),
    job: other,
  });
  pull();
  await push({ 'README.md': 'Later.\n' });
  expect(await find(other)).toEqual({ commit: done.commit, branch: 'main', fileId: done.fileId });
  expect(await find('6f0c2d5e-0000-4000-8000-000000000003')).toBeUndefined();
  const said = execFileSync('git', ['--git-dir', bare, 'log', '-1', '--format=%B', done.commit], { encoding: 'utf8' });
  expect(said.trim()).toBe(`Kinder words\n\nParley-Job: ${other}`);
});

test('a webhook is changed as a prompt is, and one that a policy does not allow is not committed', async () => {
  const policies = 'webhookHosts: { hosts: [hooks.example.com] }\n';
  const { repository, show, log } = await startRepository({ 'desk.yaml': desk, 'policies.yaml': policies });
  const { fileId } = await readPrompt(repository, 'desk');
  const edit = (url: string) => ({ ...byAda({ agent: 'desk', prompt: '', editedFileId: fileId }), wanted: { url } });
  await expect(editAgent(repository, edit('https://evil.example/in'))).rejects.toMatchObject({
    status: 400,
    details: [{ path: expect.stringMatching(/^desk\.yaml:/), message: expect.stringContaining('evil.example') }],
  });
  expect(log()).toHaveLength(1);
  await editAgent(repository, edit('https://hooks.example.com/in'));
  expect(show('main:agents/desk.yaml')).toBe(`${desk}webhook:\n  url: https://hooks.example.com/in\n`);
});
