import { execFileSync } from 'node:child_process';
import { access, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Role } from '../../../services/contract/roles.ts';
import type { Database } from '../../../services/store/database.ts';
import { openDatabase } from '../../../services/store/database.ts';
import { sql } from '../../../services/store/sql.ts';
import { storeConversation } from '../../support/databases/stored-conversation.ts';
import { eventually } from '../../support/eventually.ts';
import { invitation, openPeople, Visitor } from '../../support/people/account.ts';
import type { Answer } from '../../support/people/rest.ts';
import { type GitHttpServer, serveGitOverHttp } from '../../support/stand-ins/git-http.ts';
import { type GitPerson, GitRemote } from '../../support/stand-ins/git-remote.ts';
import { WebhookReceiver } from '../../support/stand-ins/webhook-receiver.ts';
import { peopleKeys } from '../../support/world/master-keys.ts';
import { startWorld, type World } from '../../support/world/world.ts';

let remote: GitRemote;
let host: GitHttpServer;
let author: GitPerson;
let world: World;
let people: Database;
let editor: Visitor;
let admin: Visitor;
let addresses = 0;
/** Of the Git host: one that may only read, and the worker's `agents.writeToken`. */
const tokens = { reads: 'may-read', writes: 'may-push' };

beforeAll(async () => {
  remote = await GitRemote.create();
  author = await remote.firstAuthor();
  host = await serveGitOverHttp(dirname(remote.url), { repository: 'agents.git', tokens });
  world = await startWorld({
    hosts: 0,
    env: { AGENTS_TOKEN: tokens.reads, AGENTS_WRITE_TOKEN: tokens.writes },
    settings: {
      ...{ peopleKeys, trustProxyHops: 1, agentsFolder: undefined },
      repository: {
        ...{ url: host.url, pollSeconds: 1, writes: 'direct' },
        ...{ tokenEnv: 'AGENTS_TOKEN', writeTokenEnv: 'AGENTS_WRITE_TOKEN' },
      },
    },
  });
  people = openPeople(world.serviceUrl);
  [editor, admin] = await Promise.all([member('editor'), member('admin')]);
});

afterAll(async () => {
  await people?.close();
  await world?.[Symbol.asyncDispose]();
  await host?.[Symbol.asyncDispose]();
  await remote?.[Symbol.asyncDispose]();
});

async function member(role: Role): Promise<Visitor> {
  const person = new Visitor([world.baseUrl], `198.51.100.${++addresses}`);
  await person.accept(await invitation(people, world.tenant, `${role}@example.com`, role), `${role} <of> them`);
  return person;
}

const tenantPath = (rest: string) => `/api/tenants/${world.tenant}${rest}`;
const promptPath = () => tenantPath('/prompts/echo');

const git = (...args: string[]) => execFileSync('git', ['--git-dir', remote.url, ...args], { encoding: 'utf8' }).trim();
const commitsOf = (job: unknown) =>
  git('log', '--all', '--format=%H', `--grep=Parley-Job: ${job}`).split('\n').filter(Boolean);

/** The ETag of the file as the API knows it once it has the newest commit. */
const etagAtHead = () =>
  eventually(
    'the API knows the file at the head',
    async () => {
      const etag = (await editor.ask('GET', promptPath())).headers.get('etag');
      return etag === `"${git('rev-parse', 'main:agents/echo.yaml')}"` && etag;
    },
    seldom,
  );

/** A person may ask 180 times a minute. */
const seldom = { everyMs: 500 };

const put = async (etag: string, body: object, more: object = {}) =>
  inTheEnd(await editor.ask('PUT', promptPath(), { body, headers: { 'if-match': etag, ...more } }));

const refusedWith: Record<string, number> = { prompt_conflict: 409, invalid_request: 400 };

/** What came of a change: on a busy machine the answer is 202, and it is looked at again. */
async function inTheEnd(answer: Answer): Promise<Answer> {
  if (answer.status !== 202) return answer;
  const { body } = await eventually(
    'the change is settled',
    async () => {
      const now = await editor.ask('GET', tenantPath(`/changes/${answer.body.id}`));
      return now.body.state !== 'pending' && now;
    },
    seldom,
  );
  const problem = body.problem as { code: string } | null;
  if (problem) return { ...answer, status: refusedWith[problem.code] ?? 500, body: { ...problem } };
  return { ...answer, status: 200, body, headers: new Headers({ etag: `"${body.fileId}"` }) };
}

const becomes = (change: unknown, activation: string): Promise<Answer['body']> =>
  eventually(
    `the change is ${activation}`,
    async () => {
      const { body } = await editor.ask('GET', tenantPath(`/changes/${change}`));
      return body.activation === activation && body;
    },
    seldom,
  );

const expectProblem = (answer: Answer, status: number, code: string) =>
  expect([answer.status, answer.body.code], answer.text).toEqual([status, code]);

describe('a prompt', () => {
  test('is not changed where the worker may write nothing: the answer says what would let it', async () => {
    const etag = await etagAtHead();
    const how = 'The worker has no token that may write to the repository.';
    const [before] = await world.admin.query<{ writing: string; how: string | null }>(
      sql`select writing, how from agent_sources where tenant_id = ${world.tenant}`,
    );
    await world.admin.query(sql`update agent_sources set writing = 'read_only', how = ${how}`);
    const head = git('rev-parse', 'main');
    const refused = await put(etag, { prompt: 'Be anything.' });
    expectProblem(refused, 409, 'prompts_read_only');
    expect(refused.body.message).toBe(`Agents are changed in their files. ${how}`);
    expect((await editor.ask('GET', '/api/capabilities')).body.prompts).toEqual({
      ...{ available: false, writing: 'read_only', how },
    });
    expect(git('rev-parse', 'main')).toBe(head);
    await world.admin.query(
      sql`update agent_sources set writing = ${before?.writing}, how = ${before?.how ?? null} where writing = 'read_only'`,
    );
  });

  test('becomes a proposal that somebody merges, and is live then', async () => {
    const etag = await etagAtHead();
    const before = git('rev-parse', 'main');
    const answer = await put(etag, { prompt: 'Be kind.\n\nAlways.', message: 'Kinder words' });
    expect([answer.status, answer.body.state, answer.body.activation], answer.text).toEqual([
      200,
      'written',
      'pending',
    ]);
    const { id, branch } = answer.body as { id: string; branch: string };
    expect(git('rev-parse', 'main')).toBe(before);
    const { person } = (await editor.ask('GET', '/api/me')).body as { person: { id: string } };
    const noReply = `${person.id}@people.parley.invalid`;
    expect(git('log', '-1', '--format=%an|%ae|%B', branch)).toBe(
      `editor  of  them|${noReply}|Kinder words\n\nParley-Job: ${id}`,
    );
    expect(git('diff', '--stat', 'main', branch)).toMatch(/agents\/echo\.yaml .*\n.*1 file changed/);
    await author.git('pull', '--quiet', 'origin', 'main');
    await author.git('pull', '--quiet', '--no-rebase', 'origin', branch);
    await author.push();
    expect(await becomes(id, 'live')).toMatchObject({ agent: 'echo', kind: 'prompt', reasons: [] });
    expect((await editor.ask('GET', promptPath())).body.prompt).toMatch(/^Be kind\.\n\nAlways\./);
  });

  test('is committed at once where that is permitted, and the answer has the ETag for the next change', async () => {
    const first = await put(await etagAtHead(), { prompt: 'One.', as: 'commit' });
    expect(first.body, first.text).toMatchObject({ state: 'written', branch: 'main', link: null });
    const second = await put(first.headers.get('etag') ?? '', { prompt: 'Two.', as: 'commit' });
    expect(second.body).toMatchObject({ state: 'written', commit: git('rev-parse', 'main') });
    await becomes(second.body.id, 'live');
    expect((await editor.ask('GET', promptPath())).body.prompt).toBe('Two.');
  });

  test('that two people change at once is written once, and what was merged in between is not overwritten', async () => {
    const etag = await etagAtHead();
    const answers = await Promise.all(['A.', 'B.'].map((prompt) => put(etag, { prompt, as: 'commit' })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const lost = answers.find(({ status }) => status === 409) as Answer;
    expectProblem(lost, 409, 'prompt_conflict');
    const fresh = await etagAtHead();
    await author.git('pull', '--quiet', '--rebase', 'origin', 'main');
    await author.merge('README.md', 'Beside it.\n');
    const beside = await put(fresh, { prompt: 'C.', as: 'commit' });
    expect(beside.body, beside.text).toMatchObject({ state: 'written' });
    expect(git('show', 'main:README.md')).toBe('Beside it.');
    expectProblem(await put(fresh, { prompt: 'D.' }), 409, 'prompt_conflict');
    await author.git('pull', '--quiet', '--rebase', 'origin', 'main');
  });

  test('is asked for once under an Idempotency-Key, and by If-Match only', async () => {
    const etag = await etagAtHead();
    const key = { 'idempotency-key': 'a change that is repeated' };
    const answers = await Promise.all([1, 2, 3].map(() => put(etag, { prompt: 'Once.', as: 'commit' }, key)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
    expect(commitsOf(answers[0]?.body.id)).toHaveLength(1);
    expectProblem(await editor.ask('PUT', promptPath(), { body: { prompt: 'x' } }), 428, 'precondition_required');
    for (const wrong of ['*', 'W/"a"', '"not-an-id"'])
      expectProblem(await put(wrong, { prompt: 'x' }), 412, 'precondition_failed');
  });

  test('that would be refused is not written, and one that was written stays refused while the branch is broken', async () => {
    const etag = await etagAtHead();
    const wrong = await put(etag, { prompt: 'It is {{dat}}.', as: 'commit' });
    expectProblem(wrong, 400, 'invalid_request');
    expect(wrong.body.details).toMatchObject([{ path: expect.stringMatching(/^echo\.yaml:/) }]);
    await author.git('pull', '--quiet', '--rebase', 'origin', 'main');
    await author.merge('agents/broken.yaml', 'nme: x\n');
    const written = await put(etag, { prompt: 'Beside a broken one.', as: 'commit' });
    const { reasons } = await becomes(written.body.id, 'refused');
    expect(new Set((reasons as { file: string }[]).map(({ file }) => file))).toEqual(new Set(['broken.yaml']));
    const list = await editor.ask('GET', tenantPath('/prompts'));
    expect(list.body.newestRevision).toMatchObject({ state: 'refused', reasons });
    await author.git('pull', '--quiet', '--rebase', 'origin', 'main');
    await rm(join(author.folder, 'agents/broken.yaml'));
    await author.commit('Take the broken one away');
    await author.push();
    await becomes(written.body.id, 'live');
  });

  test('becomes a proposal where the branch takes no changes', async () => {
    const hook = join(remote.url, 'hooks/update');
    await writeFile(hook, '#!/bin/sh\ntest "$1" != refs/heads/main\n', { mode: 0o755 });
    const answer = await put(await etagAtHead(), { prompt: 'Protected.', as: 'commit' });
    await rm(hook);
    expect(answer.body, answer.text).toMatchObject({
      state: 'written',
      fellBack: true,
      branch: expect.stringMatching(/^parley\/echo-/),
    });
  });
});

test('the repository is read with the token that may only read, and pushed to with the one that may push', async () => {
  const reads = host.asked.filter(({ isPush }) => !isPush);
  expect(new Set(reads.map(({ token }) => token))).toEqual(new Set([tokens.reads, tokens.writes]));
  const pushes = host.asked.filter(({ isPush }) => isPush);
  expect(pushes.length).toBeGreaterThan(0);
  expect(new Set(pushes.map(({ token, status }) => `${token} ${status}`))).toEqual(new Set([`${tokens.writes} 200`]));
  const asReader = new URL(host.url);
  [asReader.username, asReader.password] = ['x-access-token', tokens.reads];
  await expect(author.git('push', asReader.href, 'HEAD:refs/heads/by-reader')).rejects.toThrow(/403/);
  const stored = await world.admin.query<{ row: string }>(sql`select s::text as row from agent_sources s`);
  const told = [...world.apis, ...world.workers].map((process) => process.output()).join('\n');
  for (const token of Object.values(tokens)) {
    expect(told).not.toContain(token);
    expect(JSON.stringify(stored)).not.toContain(token);
  }
});

test('a conversation becomes a scenario of its agent: a proposal with the file made, then one more at its end, once', async () => {
  const where = { db: openDatabase(world.serviceUrl), tenant: world.tenant };
  const said = await Promise.all(
    ['What time is it?', 'When do you close?'].map((words) =>
      storeConversation(where, {
        agent: 'echo',
        lines: [
          ['USER', words],
          ['ASSISTANT', 'Late.'],
        ],
      }),
    ),
  );
  await where.db.close();
  await etagAtHead();
  const add = async (nth: number, body: object, headers = {}) =>
    inTheEnd(await editor.ask('POST', tenantPath(`/sessions/${said[nth]?.id}/scenario`), { body, headers }));
  const proposed = await add(0, { name: 'the time' });
  expect(proposed.body, proposed.text).toMatchObject({ kind: 'scenario', state: 'written', activation: null });
  const { id, branch } = proposed.body as { id: string; branch: string };
  expect(git('diff', '--name-only', `main...${branch}`)).toBe('agents/scenarios/echo.yaml');
  expect(git('show', `${branch}:agents/scenarios/echo.yaml`)).toContain('say: What time is it?');
  expect(commitsOf(id)).toHaveLength(1);
  const key = { 'idempotency-key': 'a scenario, asked for twice' };
  expect((await add(0, { name: 'the time', as: 'commit' })).body).toMatchObject({ branch: 'main' });
  const ids = await Promise.all([1, 2].map(async () => (await add(1, { name: 'closing', as: 'commit' }, key)).body.id));
  expect(new Set(ids).size).toBe(1);
  const scenarios = git('show', 'main:agents/scenarios/echo.yaml');
  expect(scenarios.match(/- name: .*/g)).toEqual(['- name: the time', '- name: closing']);
  expect(scenarios).toContain('say: When do you close?');
  await author.git('pull', '--quiet', '--rebase', 'origin', 'main');
});

test('a worker that dies between push and answer writes nothing twice: the next one finds the commit', async () => {
  const [pushed, goOn] = [join(remote.url, 'pushed'), join(remote.url, 'go-on')];
  const hook = join(remote.url, 'hooks/post-receive');
  const holds = `#!/bin/sh\ntouch '${pushed}'\nwhile [ ! -e '${goOn}' ]; do sleep 0.1; done\n`;
  const etag = await etagAtHead();
  await writeFile(hook, holds, { mode: 0o755 });
  const body = { prompt: 'Written by the dead.', as: 'commit' };
  const asked = editor.ask('PUT', promptPath(), { body, headers: { 'if-match': etag } });
  await eventually('it is pushed', async () => access(pushed).then(() => true));
  await world.workers[0]?.kill();
  await rm(hook);
  await writeFile(goOn, '');
  await world.startWorker();
  const answer = await asked;
  expect([200, 202]).toContain(answer.status);
  const { id } = answer.body;
  expect(await becomes(id, 'live')).toMatchObject({ state: 'written', commit: git('rev-parse', 'main') });
  expect(commitsOf(id)).toHaveLength(1);
});

describe('a webhook', () => {
  test('is given by an admin, tested with the exact request and answer, and its deliveries are sent again', async () => {
    await using receiver = await WebhookReceiver.start();
    await etagAtHead();
    const path = tenantPath('/agents/echo/webhook');
    const etag = (await admin.ask('GET', path)).headers.get('etag') ?? '';
    const early = await admin.ask('POST', tenantPath('/webhook/test'), { body: { agent: 'echo' } });
    expectProblem(early, 409, 'not_configured');
    const body = { url: receiver.url, as: 'commit' };
    const given = await inTheEnd(await admin.ask('PUT', path, { body, headers: { 'if-match': etag } }));
    expect(given.body, given.text).toMatchObject({ kind: 'webhook', state: 'written' });
    await becomes(given.body.id, 'live');
    const hidden = await editor.ask('GET', tenantPath(`/changes/${given.body.id}`));
    expect(hidden.text).not.toContain(receiver.url);
    expect((await admin.ask('GET', path)).body).toMatchObject({ state: 'on', url: receiver.url });

    const secret = await admin.ask('POST', tenantPath('/agents/echo/credentials/secret/regenerate'), {
      body: { graceSeconds: 0 },
    });
    const asked = await admin.ask('POST', tenantPath('/webhook/test'), { body: { agent: 'echo' } });
    expect([200, 202]).toContain(asked.status);
    const isDelivered = async () => {
      const now = await admin.ask('GET', tenantPath(`/webhook/deliveries/${asked.body.id}`));
      return now.body.status === 'delivered' && now;
    };
    const tested = await eventually('the test is delivered', isDelivered, seldom);
    const [attempt] = tested.body.attempts as { requestHeaders: Record<string, string>; statusCode: number }[];
    const sent = new Webhook(String(secret.body.signingSecret));
    expect(sent.verify(String(tested.body.body), attempt?.requestHeaders ?? {})).toMatchObject({
      type: 'conversation.test',
    });
    expect(attempt?.statusCode).toBe(200);

    const again = tenantPath(`/webhook/deliveries/${tested.body.id}/redeliver`);
    expect((await editor.ask('POST', again)).status).toBe(202);
    const cameTwice = async () => {
      const { body: shown } = await editor.ask('GET', tenantPath(`/webhook/deliveries/${tested.body.id}`));
      return (shown.attempts as unknown[]).length === 2 && shown.status === 'delivered';
    };
    await eventually('it came twice', cameTwice, seldom);
    const page = await editor.ask('GET', tenantPath('/webhook/deliveries?agent=echo&event=conversation.test&limit=1'));
    expect(page.body).toMatchObject({
      items: [{ id: tested.body.id, lastStatusCode: 200, attempts: 2 }],
      nextCursor: null,
    });
  });
});
