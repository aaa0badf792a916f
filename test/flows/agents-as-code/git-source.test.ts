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
import { type GitPerson, GitRemote } from '../../support/stand-ins/git-remote.ts';
import type { ServiceProcess } from '../../support/world/service-process.ts';
import { startWorld, type World } from '../../support/world/world.ts';

const pushSecret = 'shared-with-the-git-host';

let remote: GitRemote;
let author: GitPerson;
let world: World;
let echo: string;

beforeAll(async () => {
  remote = await GitRemote.create();
  author = await remote.firstAuthor();
  echo = await readFile(join(author.folder, 'agents/echo.yaml'), 'utf8');
  world = await startWorld({
    hosts: 0,
    apis: 0,
    workers: 2,
    settings: {
      agentsFolder: undefined,
      repository: { url: remote.url, pollSeconds: 1, pushSecretEnv: 'HOOK_SECRET' },
    },
    env: { HOOK_SECRET: pushSecret },
  });
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await remote?.[Symbol.asyncDispose]();
});

const greeting = (words: string) => echo.replace('Welcome to the echo.', words);

type Revision = Pick<RevisionRow, 'commit' | 'state' | 'reasons' | 'author' | 'subject'>;

const revisions = () => world.admin.query<Revision>(sql`select * from agent_revisions order by id`);
const newest = async () => (await revisions()).at(-1);
const isJudged = (commit: string, state: Revision['state']) =>
  eventually(`${commit} is ${state}`, async () => {
    const found = await newest();
    return found?.commit === commit && found.state === state && found;
  });

interface Live {
  agent: string;
  hash: string;
  greeting: string;
  commit: string;
  deleted: boolean;
}

const live = () =>
  world.admin.query<Live>(sql`
    select a.agent, v.hash, v.definition #>> '{languages,0,greeting}' as greeting, v.commit, a.deleted_at is not null as deleted
    from agents a join agent_versions v on v.agent = a.agent and v.hash = a.version_hash order by a.agent`);
const liveEcho = async () => (await live()).find(({ agent }) => agent === 'echo');

const portOf = (worker: ServiceProcess | undefined) => /"internalPort":(\d+)/.exec(worker?.output() ?? '')?.[1];
const metricsOf = async (worker: ServiceProcess | undefined) =>
  (await fetch(`http://127.0.0.1:${portOf(worker)}/metrics`)).text();
const everyWorker = (name: string, holds: (metrics: string) => boolean) =>
  eventually(`every worker's metrics: ${name}`, async () =>
    (await Promise.all(world.workers.map(metricsOf))).every(holds),
  );
/** The log is written behind. */
const workersSay = (pattern: RegExp) =>
  eventually(`a worker says ${pattern}`, () => pattern.test(world.workers.map((worker) => worker.output()).join('')));

test('what is merged is live under its commit', async () => {
  const commit = await author.merge(
    'agents/echo.yaml',
    greeting('Merged!').replace("en: 'You said: {{words}}'", "en: 'Since the merge you said: {{words}}'"),
  );
  await isJudged(commit, 'active');
  expect(await liveEcho()).toMatchObject({ greeting: 'Merged!', commit });
});

test('a broken revision is refused with its line, in the table, the log and the metrics, and the good one stays live', async () => {
  const good = await liveEcho();
  const broken = await author.merge('agents/broken.yaml', 'name: Broken\nlanguges: []\n');
  expect(await isJudged(broken, 'refused')).toMatchObject({
    author: 'Author',
    subject: 'Change agents/broken.yaml',
    reasons: expect.arrayContaining([
      expect.objectContaining({
        file: 'broken.yaml',
        line: 2,
        column: 1,
        message: expect.stringContaining('languages'),
      }),
    ]),
  });
  await workersSay(/broken\.yaml:2:1/);
  await everyWorker('refused', (metrics) => metrics.includes('parley_agents_revision_refused 1'));
  expect(await liveEcho()).toEqual(good);
});

test('a revert makes the earlier version live again: the same row, not a new one', async () => {
  const [first] = await world.admin.query<{ hash: string }>(
    sql`select hash from agent_versions where agent = 'echo' order by created_at limit 1`,
  );
  const count = async () => (await world.admin.query(sql`select 1 from agent_versions where agent = 'echo'`)).length;
  const versions = await count();
  await author.git('revert', '--no-edit', 'HEAD', 'HEAD~1');
  await author.push();
  await isJudged(await remote.head(), 'active');
  expect((await liveEcho())?.hash).toBe(first?.hash);
  expect(await count()).toBe(versions);
  await everyWorker('not refused', (metrics) => metrics.includes('parley_agents_revision_refused 0'));
});

test('a force-push is followed, back and sideways', async () => {
  const base = await remote.head();
  const ahead = await author.merge('agents/echo.yaml', greeting('Ahead.'));
  await isJudged(ahead, 'active');
  await author.git('reset', '--quiet', '--hard', base);
  await author.push('--force');
  await isJudged(base, 'active');
  expect((await liveEcho())?.greeting).toBe('Welcome to the echo.');
  await author.write('agents/echo.yaml', greeting('Sideways.'));
  await author.git('commit', '--quiet', '--all', '--amend', '--message', 'Another history');
  await author.push('--force');
  await isJudged(await remote.head(), 'active');
  expect((await liveEcho())?.greeting).toBe('Sideways.');
});

test('a repository that is gone leaves the agents live, says so, and is followed again when it is back', async () => {
  await author.write('agents/echo.yaml', greeting('Back again.'));
  const commit = await author.commit('Pushed before it vanished');
  await remote.vanish();
  await everyWorker('unreadable', (metrics) => metrics.includes('parley_agents_source_unreadable 1'));
  await workersSay(/could not be read; the last good revision stays live/);
  const [unreadable] = await eventually('people are told', async () => {
    const found = await world.admin.query<{ source: string; reason: string }>(sql`select * from unreadable_sources`);
    return found.length > 0 && found;
  });
  expect(unreadable).toMatchObject({ source: `${remote.url} main:agents`, reason: expect.stringMatching(/^git /) });
  expect((await liveEcho())?.greeting).toBe('Sideways.');
  await remote.comeBack();
  await author.push();
  await isJudged(commit, 'active');
  await everyWorker('readable', (metrics) => metrics.includes('parley_agents_source_unreadable 0'));
  await eventually(
    'nobody is told any more',
    async () => (await world.admin.query(sql`select 1 from unreadable_sources`)).length === 0,
  );
  expect((await liveEcho())?.greeting).toBe('Back again.');
});

test('of two pushes at once one is refused by Git, and after its merge both changes are live everywhere', async () => {
  const colleague = await remote.person();
  await author.write('agents/echo.yaml', greeting('By the author.'));
  await colleague.write('agents/second.yaml', echo.replace('name: Echo', 'name: Second'));
  await Promise.all([author.commit('One'), colleague.commit('Two')]);
  const pushes = await Promise.allSettled([author.push(), colleague.push()]);
  expect(pushes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const person of [author, colleague]) {
    await person.git('pull', '--quiet', '--rebase', 'origin', 'main');
    await person.push();
  }
  await isJudged(await remote.head(), 'active');
  expect((await live()).map(({ agent, greeting, deleted }) => [agent, greeting, deleted])).toEqual([
    ['echo', 'By the author.', false],
    ['second', 'Welcome to the echo.', false],
  ]);
  await author.git('pull', '--quiet', '--rebase', 'origin', 'main');
});

test('pushes in quick succession end with the last one live, and no worker brings an earlier one back', async () => {
  const commits: string[] = [];
  for (let n = 1; n <= 6; n += 1) commits.push(await author.merge('agents/echo.yaml', greeting(`Push ${n}.`)));
  await isJudged(commits.at(-1) ?? '', 'active');
  const order = (await revisions()).map(({ commit }) => commits.indexOf(commit ?? '')).filter((index) => index >= 0);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  expect((await liveEcho())?.greeting).toBe('Push 6.');
});

test('a path that is gone and a branch without agents are refused; a branch that is gone is told; nobody is switched off', async () => {
  const before = await live();
  await author.git('rm', '-r', '--quiet', 'agents');
  await author.write('README.md', 'Nothing here.\n');
  const removed = await author.commit('Away with the agents');
  await author.push();
  const { reasons } = await isJudged(removed, 'refused');
  expect(reasons).toMatchObject([{ file: '.', message: expect.stringMatching(/no agent/) }]);
  await remote.deleteBranch('main');
  await everyWorker('unreadable', (metrics) => metrics.includes('parley_agents_source_unreadable 1'));
  await workersSay(/the repository has no branch main/);
  expect(await live()).toEqual(before);
  await author.git('revert', '--no-edit', 'HEAD');
  await author.push();
  await isJudged(await remote.head(), 'active');
  expect(await live()).toEqual(before);
});

test('the worker takes a signed push event on its internal port', async () => {
  const url = `http://127.0.0.1:${portOf(world.workers[0])}`;
  const body = JSON.stringify({ ref: 'refs/heads/main' });
  const signature = `sha256=${createHmac('sha256', pushSecret).update(body).digest('hex')}`;
  const send = (text: string) =>
    ask(url, 'POST', '/push-events', { headers: { 'x-hub-signature-256': signature }, body: text });
  expect((await send(body)).status).toBe(202);
  expect((await send(`${body} `)).status).toBe(401);
});

test('parley agents tells the history, what changed, a version and what was refused', async () => {
  const script = new URL('../../../scripts/parley.ts', import.meta.url).pathname;
  const agents = async (...words: string[]) => {
    const target = ['--database-url', world.serviceUrl];
    const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' };
    const { stdout } = await promisify(execFile)(process.execPath, [script, 'agents', ...words, ...target], { env });
    return stdout;
  };
  const history = await agents('history', 'echo');
  expect(history).toMatch(/^VERSION +COMMIT +FIRST LIVE +NOW +CHANGED\n/);
  expect(history.match(/ live /g)).toHaveLength(1);
  expect(history).toMatch(/languages, script/);
  expect(history).toMatch(/the first version\n$/);
  const versions = history
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(' ')[0] ?? '');
  const diff = await agents('diff', 'echo', versions.at(-1) ?? '', versions[0] ?? '');
  expect(diff).toContain('languages\n  language en: greeting: "Welcome to the echo." → "Push 6."');
  expect(await agents('diff', 'echo')).toMatch(/greeting: .* → "Push 6\."/);
  const shown = await agents('show', 'echo', versions.at(-1) ?? '');
  expect(shown).toMatch(/greeting: Welcome to the echo\./);
  expect(shown).toMatch(/instructions about \d+ tokens/);
  expect(await agents('revisions')).toMatch(
    /refused .*main:agents\n {4}"Change agents\/broken\.yaml" by Author\n {4}broken\.yaml:1:1 [\s\S]* {4}broken\.yaml:2:1 /,
  );
  await expect(agents('show', 'echo', 'nothing')).rejects.toThrow(/There is no version "nothing"/);
});
