import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import type { RevisionRow } from '../../../services/store/tables/agent-revisions.ts';
import { eventually } from '../../support/eventually.ts';
import { ask } from '../../support/people/rest.ts';
import { GitHostApi } from '../../support/stand-ins/git-host.ts';
import { type GitPerson, GitRemote } from '../../support/stand-ins/git-remote.ts';
import { startOpenAIServer } from '../../support/stand-ins/openai-server.ts';
import { startWorld, type World } from '../../support/world/world.ts';

const pushSecret = 'shared-with-the-git-host';
const passesSecret = 'shared-with-the-pipeline';

let remote: GitRemote;
let author: GitPerson;
let gitHost: GitHostApi;
let world: World;
let echo: string;

/** Scenarios run at a lower priority than all else, on machines that may be busy. */
const patience = { withinMs: 90_000 };

/** The branch is looked at by itself once an hour: what happens here, happens because the Git host said so. */
beforeAll(async () => {
  gitHost = await GitHostApi.start('github');
  remote = await GitRemote.create();
  author = await remote.firstAuthor();
  echo = await readFile(join(author.folder, 'agents/echo.yaml'), 'utf8');
  world = await startWorld({
    hosts: 0,
    settings: {
      agentsFolder: undefined,
      repository: {
        url: remote.url,
        pollSeconds: 3_600,
        pushSecretEnv: 'HOOK_SECRET',
        status: { host: 'github', url: gitHost.url, tokenEnv: 'STATUS_TOKEN' },
      },
      retryScale: 0.001,
      passesSecretEnv: 'PASSES_SECRET',
    },
    env: {
      PASSES_SECRET: passesSecret,
      HOOK_SECRET: pushSecret,
      STATUS_TOKEN: gitHost.token,
    },
  });
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await remote?.[Symbol.asyncDispose]();
  await gitHost?.[Symbol.asyncDispose]();
});

const worker = () => world.workers.findLast(({ running }) => running);
const internalUrl = () => `http://127.0.0.1:${/"internalPort":(\d+)/.exec(worker()?.output() ?? '')?.[1]}`;

async function sendSigned(path: string, secret: string, body: string): Promise<void> {
  const headers = { 'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` };
  expect((await ask(internalUrl(), 'POST', path, { headers, body })).status).toBe(202);
}

/** What GitHub sends after a push. */
const nudge = () => sendSigned('/push-events', pushSecret, JSON.stringify({ ref: 'refs/heads/main' }));

async function runParley(...words: string[]): Promise<string> {
  const script = new URL('../../../scripts/parley.ts', import.meta.url).pathname;
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' };
  return (await promisify(execFile)(process.execPath, [script, ...words], { env })).stdout;
}

const called = (name: string) => echo.replace('name: Echo', `name: ${name}`);

/** Pushes an agent's file, and tells the worker. */
async function merge(path: string, text: string): Promise<string> {
  const commit = await author.merge(path, text);
  await nudge();
  return commit;
}

const rowOf = async (commit: string) =>
  (
    await world.admin.query<RevisionRow>(
      sql`select * from agent_revisions where commit = ${commit} order by id desc limit 1`,
    )
  )[0];
const isJudged = (commit: string, state: RevisionRow['state']) =>
  eventually(`${commit} is ${state}`, async () => (await rowOf(commit))?.state === state, patience);
const statusOf = (commit: string) => eventually(`a status of ${commit}`, () => gitHost.of(commit).at(-1), patience);
const liveName = async () =>
  (
    await world.admin.query<{ name: string }>(sql`
      select v.definition ->> 'name' as name from agents a
      join agent_versions v on v.agent = a.agent and v.hash = a.version_hash where a.agent = 'echo'`)
  )[0]?.name;

test('a push event alone makes a merge live, and the commit has a status that says so', async () => {
  expect(await statusOf(await remote.head())).toMatchObject({ state: 'success' });
  const commit = await merge('agents/echo.yaml', called('Pushed'));
  await isJudged(commit, 'active');
  expect(await liveName()).toBe('Pushed');
  expect(await statusOf(commit)).toEqual({
    commit,
    state: 'success',
    context: 'parley/local',
    description: 'The agents are live.',
  });
  await eventually('it is noted', async () => (await rowOf(commit))?.host_status === 'posted');
});

test('a commit that is refused says why at the Git host', async () => {
  const commit = await merge('agents/broken.yaml', 'name: Broken\nprompt: x\nlanguges: []\n');
  expect(await statusOf(commit)).toMatchObject({
    state: 'failure',
    description: 'broken.yaml:3:1 There is no field "languges". Did you mean "languages"?',
  });
  await author.git('rm', '--quiet', 'agents/broken.yaml');
  const mended = await author.commit('Away with it');
  await author.push();
  await nudge();
  expect(await statusOf(mended)).toMatchObject({ state: 'success' });
});

test('a revert goes live while the scenarios fail, and nothing new does', async () => {
  const scenario = (said: string) =>
    `scenarios:\n  - name: it repeats\n    turns: [{ say: blue, expect: { text: "${said}" } }]\n`;
  const warned = await merge('agents/scenarios/echo.yaml', scenario('something else'));
  await isJudged(warned, 'active');
  await eventually(
    'its status says what fails',
    async () => (await statusOf(warned)).description.startsWith('Live, but: scenarios/echo.yaml:3:'),
    patience,
  );
  const shown = await runParley('agents', 'revisions', '--database-url', world.serviceUrl);
  expect(shown).toContain('    warning: scenarios/echo.yaml:3:');
  const failing = await merge('agents/echo.yaml', called('Unproven'));
  expect(await statusOf(failing)).toMatchObject({
    state: 'failure',
    description: expect.stringMatching(/^scenarios\/echo\.yaml:3:\d+ The scenario "it repeats" fails/),
  });
  expect(await liveName()).toBe('Pushed');
  const reverted = await merge('agents/echo.yaml', called('Echo'));
  await isJudged(reverted, 'active');
  expect(await liveName()).toBe('Echo');
  await author.git('rm', '--quiet', 'agents/scenarios/echo.yaml');
  await isJudged(await merge('agents/echo.yaml', called('Pushed')), 'active');
});

test('an agent that passed its scenarios in the pipeline goes live although they cannot be run here', async () => {
  const model = await startOpenAIServer();
  const modelFile = `model: { provider: openai, name: tested, baseUrl: "${model.baseUrl}" }`;
  const modelled = `name: Modelled\nprompt: Be kind.\nlanguages: [{ code: en, name: English }]\n${modelFile}\n`;
  await author.write('agents/scenarios/modelled.yaml', 'scenarios: [{ name: it answers, turns: [{ say: Hi }] }]\n');
  await author.write('agents/modelled.yaml', modelled);
  const passes = join(author.folder, '..', 'passes.json');
  await runParley('scenarios', 'run', 'modelled', '--agents', join(author.folder, 'agents'), '--passes', passes);
  await model.close();
  const commit = await merge('agents/modelled.yaml', modelled);
  await isJudged(commit, 'refused');
  await sendSigned('/scenario-passes', passesSecret, await readFile(passes, 'utf8'));
  await isJudged(commit, 'active');
  await eventually('the new status follows the old one', async () => (await statusOf(commit)).state === 'success');
});

test('a Git host in trouble holds no activation back, and is told when it is well again', async () => {
  gitHost.trouble = { status: 503 };
  const commit = await merge('agents/echo.yaml', called('Unwatched'));
  await isJudged(commit, 'active');
  await eventually('it was tried', async () => ((await rowOf(commit))?.host_attempts ?? 0) >= 2);
  gitHost.trouble = undefined;
  expect(await statusOf(commit)).toMatchObject({ state: 'success' });
});

test('a worker that dies while it tells the host leaves that to another', async () => {
  gitHost.trouble = 'stalls';
  const before = gitHost.asked;
  const commit = await merge('agents/echo.yaml', called('Left behind'));
  await eventually('the host was asked', () => gitHost.asked > before);
  await worker()?.kill();
  gitHost.trouble = undefined;
  await world.startWorker();
  const status = eventually('the next worker told it', () => gitHost.of(commit).at(-1), { withinMs: 90_000 });
  expect(await status).toMatchObject({ state: 'success' });
});

test('what a Git host never takes is given up, noted, counted, and shown', async () => {
  gitHost.trouble = { status: 403 };
  const commit = await merge('agents/echo.yaml', called('Unheard'));
  await eventually('it is given up', async () => (await rowOf(commit))?.host_status === 'failed');
  expect(await rowOf(commit)).toMatchObject({ host_attempts: 6, host_error: expect.stringMatching(/answered 403/) });
  expect(await liveName()).toBe('Unheard');
  const metrics = await (await fetch(`${internalUrl()}/metrics`)).text();
  expect(metrics).toMatch(/parley_commit_statuses_total\{result="again"\} 6/);
  const stdout = await runParley('agents', 'revisions', '--database-url', world.serviceUrl);
  expect(stdout).toMatch(/^\S+Z {2}live {5}[0-9a-f]{12} {2}.*\n {4}"Change agents\/echo\.yaml" by Author\n/);
  expect(stdout).toContain('    commit status failed: The Git host answered 403: this is 403\n');
  expect(world.output()).not.toContain(gitHost.token);
});
