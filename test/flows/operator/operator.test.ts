import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../services/store/database.ts';
import { sql } from '../../../services/store/sql.ts';
import { storeConversation, storeSession } from '../../support/databases/stored-conversation.ts';
import { eventually } from '../../support/eventually.ts';
import { WebhookReceiver } from '../../support/stand-ins/webhook-receiver.ts';
import { startWorld, type World } from '../../support/world/world.ts';

const parley = new URL('../../../scripts/parley.ts', import.meta.url).pathname;

interface Ran {
  code: number;
  out: string;
  err: string;
}

function run(command: string, args: string[], env: Record<string, string> = {}): Promise<Ran> {
  return new Promise((resolve) => {
    const variables = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env };
    execFile(process.execPath, [parley, ...command.split(' '), ...args], { env: variables }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
  });
}

let world: World;
let db: Database;
let receiver: WebhookReceiver;
let folder: string;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  const agents = await mkdtemp(join(tmpdir(), 'parley-agents-'));
  await cp(new URL('../../agents/', import.meta.url).pathname, agents, { recursive: true });
  const echo = await readFile(join(agents, 'echo.yaml'), 'utf8');
  await writeFile(join(agents, 'loud.yaml'), `${echo}\nwebhook: { url: '${receiver.url}' }\n`);
  world = await startWorld({ agents, hosts: 0 });
  db = openDatabase(world.serviceUrl);
  folder = await mkdtemp(join(tmpdir(), 'parley-data-'));
  await writeFile(join(folder, 'environment.json'), JSON.stringify(world.env));
});

afterAll(async () => {
  await db?.close();
  await receiver?.close();
  await rm(folder, { recursive: true, force: true });
  await world?.[Symbol.asyncDispose]();
});

/** As on the local start. */
const here = (command: string, ...args: string[]) => run(command, [...args, '--data', folder]);
const status = async (apiKey: string) =>
  (await fetch(`${world.baseUrl}/api/sessions/languages`, { headers: { authorization: `Bearer ${apiKey}` } })).status;

test.each([
  'credentials show',
  'invitation show',
  'sessions list',
  'agents disable',
  'agents history',
  'webhooks test',
])('%s --help says how it is used', async (command) => {
  const { code, out } = await run(command, ['--help']);
  expect(code).toBe(0);
  expect(out).toContain(`Usage: parley ${command}`);
});

test.each([
  ['credentials show', 'x'],
  ['invitation show', '--url=https://acme.example.com'],
  ['sessions end', 'x'],
  ['agents disable', 'x'],
  ['agents history', 'x'],
  ['webhooks test', 'x'],
])('%s says in one sentence what is wrong', async (name, word) => {
  const nothing = await run(name, [word, '--data', join(folder, 'empty')]);
  expect(nothing).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/npm start.*--database-url/) });
  const unknown = await here(name, '--no-such-flag');
  expect(unknown).toMatchObject({ code: 1, err: expect.stringMatching(/--help/) });
  const away = await run(name, [word, '--database-url', 'postgres://a:b@127.0.0.1:1/none']);
  expect(away).toMatchObject({ code: 1, err: expect.stringMatching(/database can't be reached/) });
});

test('credentials are shown, on the local start and on any database', async () => {
  const { apiKey, apiSecret } = await world.credentials('echo');
  const local = await here('credentials show', 'echo');
  expect(local.out).toContain(apiKey);
  expect(local.out).toContain(apiSecret);
  expect(local.out).toContain('whsec_');
  const args = ['echo', '--database-url', world.serviceUrl];
  expect((await run('credentials show', args, { PARLEY_MASTER_KEYS: world.env.PARLEY_MASTER_KEYS ?? '' })).out).toBe(
    local.out,
  );
  expect(await run('credentials show', args)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/PARLEY_MASTER_KEYS/),
  });
  expect(await here('credentials show', 'nobody')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/no agent "nobody".* There are: echo\b/),
  });
  expect(await here('credentials show', 'echo', '--tenant', 'other')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/no tenant/),
  });
});

test('a new key works at once; the old one as long as its grace says', async () => {
  const first = (await world.credentials('loud')).apiKey;
  expect(await here('credentials regenerate', 'loud', 'key')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/--grace/),
  });
  const second = /pk_\S+/.exec((await here('credentials regenerate', 'loud', 'key', '--grace', '1h')).out)?.[0] ?? '';
  expect(second).not.toBe(first);
  expect([await status(first), await status(second)]).toEqual([200, 200]);
  const third = /pk_\S+/.exec((await here('credentials regenerate', 'loud', 'key', '--grace', '0')).out)?.[0] ?? '';
  await eventually(
    'the old keys are refused',
    async () => (await status(second)) === 401 && (await status(first)) === 401,
  );
  expect(await status(third)).toBe(200);
});

test('a disabled agent refuses new sessions until it is enabled', async () => {
  const { apiKey } = await world.credentials('echo');
  expect((await here('agents disable', 'echo')).out).toContain('echo is disabled');
  await eventually('it refuses', async () => (await status(apiKey)) === 401);
  expect((await here('agents enable', 'echo')).out).toContain('echo is enabled');
  await eventually('it answers', async () => (await status(apiKey)) === 200);
  expect(await here('agents stop', 'echo')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/Unknown command 'stop'/),
  });
  expect(await here('agents disable', 'nobody')).toMatchObject({ code: 1, err: expect.stringMatching(/no agent/) });
});

test('live sessions are listed and ended, one or all', async () => {
  const where = { db, tenant: world.tenant };
  expect((await here('sessions list')).out).toContain('No session is live.');
  const [one, two, three] = [await storeSession(where), await storeSession(where), await storeSession(where)];
  const listed = await here('sessions list');
  for (const { id } of [one, two, three])
    expect(listed.out).toMatch(new RegExp(`${id}\\s+echo\\s+created\\s+20\\S+Z\\s+0\\.\\d`));
  expect((await here('sessions end', one.id)).out).toContain('is over');
  expect(await here('sessions end', 's_nothing')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/no session/),
  });
  expect(await here('sessions end')).toMatchObject({ code: 1, err: expect.stringMatching(/--all/) });
  expect((await here('sessions end', '--all')).out).toContain('2 sessions were ended.');
  const rows = await world.admin.query<{ end_reason: string }>(sql`select distinct end_reason from sessions`);
  expect(rows).toEqual([{ end_reason: 'operator_ended' }]);
});

test('a conversation is erased with all of it, a live one ends first, and the record answers whoever asks again', async () => {
  const where = { db, tenant: world.tenant };
  const [over, live] = [await storeConversation(where), await storeSession(where)];
  const erased = await here('sessions erase', over.id);
  expect(erased.out).toMatch(new RegExp(`^${over.id} was erased at \\S+Z: .*\\bmessages 2\\b.*\\bsessions 1\\b`));
  expect((await here('sessions erase', over.id)).out).toBe(erased.out);
  expect((await here('sessions erase', live.id)).out).toContain('sessions 1');
  const ids = [over.id, live.id];
  expect(await world.admin.query(sql`select 1 from sessions where id = any (${ids})`)).toEqual([]);
  expect(await here('sessions erase', 's_nothing')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/no session/),
  });
});

test('the webhook tester sends a signed event of the real shape and shows the answer', async () => {
  const { code, out } = await here('webhooks test', 'loud');
  expect(code).toBe(0);
  expect(out).toMatch(/Status\s+200/);
  expect(out).toContain('answered 200');
  const [event] = receiver.verified((await world.credentials('loud')).apiSecret);
  expect(event).toMatchObject({ type: 'conversation.test', data: { agent: 'loud', transcript: expect.any(Array) } });
  receiver.reaction = 500;
  expect(await here('webhooks test', 'loud')).toMatchObject({ code: 1, out: expect.stringMatching(/Status\s+500/) });
  expect(await here('webhooks test', 'echo')).toMatchObject({ code: 1, err: expect.stringMatching(/has no webhook/) });
});
