import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { loadAgents } from '../../../services/agent-files/load.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../support/databases/migrated-database.ts';
import {
  end,
  join as joinRoom,
  type StoredSession,
  say,
  storeSession,
} from '../../support/databases/stored-conversation.ts';
import { publish } from '../../support/world/compiled-agent.ts';
import { masterKeys } from '../../support/world/master-keys.ts';

let store: MigratedDatabase;
let tenant: string;
let session: StoredSession;
let folder: string;

const order = {
  id: 'A-1001',
  status: 'shipped',
  items: ['Desk lamp'],
  placedOn: '2026-11-18',
  deliveryOn: '2026-11-22',
};

/** What the demo agent says to a person who looks for an order, as its host stores it. */
async function storeDemo(): Promise<StoredSession> {
  const where = { db: store.db, tenant };
  const stored = await storeSession(where, 'support');
  await joinRoom(where, stored, new Date(Date.now() - 60_000));
  await say(where, stored, {
    lines: [
      ['USER', 'Hello'],
      ['ASSISTANT', 'Hello! Is it about an order?'],
    ],
  });
  await say(where, stored, {
    lines: [
      ['USER', 'Where is my order?'],
      ['ASSISTANT', 'What is its number?'],
    ],
  });
  await say(where, stored, {
    lines: [['USER', "It's A-1001, and I am ada@lovelace.example"]],
    toolCalls: [
      { name: 'look_up_order', status: 'ok', arguments: { orderId: 'A-1001' }, result: JSON.stringify(order) },
    ],
  });
  await say(where, stored, { lines: [['ASSISTANT', 'Your order A-1001 with\nDesk lamp was shipped.']] });
  await say(where, stored, { lines: [['USER', "That's all, bye"]], toolCalls: [{ name: 'end_call', status: 'ok' }] });
  await say(where, stored, { lines: [['ASSISTANT', 'Goodbye!']] });
  await end(where, stored, 'agent_ended');
  return stored;
}

beforeAll(async () => {
  store = await startMigratedDatabase();
  ({ tenant } = await store.addTenant('local'));
  const { agents } = await loadAgents('agents', { environment: 'development' });
  await publish(
    { serviceUrl: store.serviceUrl, masterKeys, tenant },
    agents.map(({ agent }) => agent),
  );
  session = await storeDemo();
});

afterAll(() => store?.[Symbol.asyncDispose]());

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-new-scenario-'));
  await cp('agents', folder, { recursive: true });
  return () => rm(folder, { recursive: true, force: true });
});

function newScenario(...words: string[]): Promise<{ status: number; output: string }> {
  const args = [
    'scripts/parley.ts',
    'scenarios',
    'new',
    ...words,
    '--agents',
    folder,
    '--database-url',
    store.serviceUrl,
  ];
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { env }, (_error, stdout, stderr) =>
      resolve({ status: child.exitCode ?? -1, output: stdout + stderr }),
    );
  });
}

const file = () => join(folder, 'scenarios/support.yaml');

test('a stored conversation becomes a scenario that is valid and passes, and all else in the file stays', async () => {
  const before = await readFile(file(), 'utf8');
  const { status, output } = await newScenario(session.id, '--name', 'a lamp is found');
  expect(output).toContain('It passes on the scripted model.');
  expect(output).toMatch(/Git keeps it for ever/);
  expect(status).toBe(0);
  const text = await readFile(file(), 'utf8');
  expect(text.startsWith(before.trimEnd())).toBe(true);
  expect(text).toContain('# The agent: Your order A-1001 with Desk lamp was shipped.');
  const { faults, scenarios } = await loadAgents(folder, { environment: 'development' });
  expect(faults).toEqual([]);
  expect(scenarios.find(({ agent }) => agent === 'support')?.scenarios.at(-1)).toMatchObject({
    name: 'a lamp is found',
    language: 'en',
    now: expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    tools: { look_up_order: { result: order } },
    turns: [
      { say: 'Hello' },
      { say: 'Where is my order?' },
      {
        say: "It's A-1001, and I am ada@lovelace.example",
        expect: { tool: 'look_up_order', arguments: { orderId: 'A-1001' } },
      },
      { say: "That's all, bye" },
    ],
    expect: { ended: true },
  });
});

test('with --redact it passes too, and nothing of the number or the address is left, in a file of its own if need be', async () => {
  await rm(file());
  const { output } = await newScenario(session.id, '--redact');
  expect(output).toContain('It passes on the scripted model.');
  expect(output).toMatch(/Names .* are not/);
  const text = await readFile(file(), 'utf8');
  expect(text).toMatch(/^# yaml-language-server: .*\nscenarios:\n {2}- name: it goes as on 20/);
  expect(text).toContain("It's A-1111, and I am person@example.com");
  expect(text).toContain('orderId: A-1111');
  expect(text).not.toMatch(/A-1001|lovelace/);
});

test('a scenario for an agent that has faults is not written, nor one that it could not pass for want of a tool', async () => {
  const agent = join(folder, 'support.yaml');
  const withoutTool = (await readFile(agent, 'utf8'))
    .replaceAll('look_up_order', 'end_call')
    .replace('[end_call, end_call]', '[end_call]');
  await writeFile(agent, withoutTool);
  const faulty = await newScenario(session.id);
  expect(faulty.status).toBe(1);
  expect(faulty.output).toMatch(/support\.yaml is not valid .*Nothing was written/s);

  await writeFile(agent, withoutTool.replace(/ +arguments:\n +orderId: .*\n/, ''));
  const { status, output } = await newScenario(session.id);
  expect(status).toBe(1);
  expect(output).toMatch(/would not be valid .*look_up_order.*Nothing was written/s);
});

test('it may be printed only, and what is not there or not over is told', async () => {
  const before = await readFile(file(), 'utf8');
  const printed = await newScenario(session.id, '--print');
  expect(printed.output).toContain('say: Where is my order?');
  expect(await readFile(file(), 'utf8')).toBe(before);
  expect(await newScenario('s_nothing')).toMatchObject({ status: 1, output: expect.stringMatching(/no session/) });
  const open = await storeSession({ db: store.db, tenant }, 'support');
  expect(await newScenario(open.id)).toMatchObject({ status: 1, output: expect.stringMatching(/not over/) });
  expect(await newScenario()).toMatchObject({
    status: 1,
    output: expect.stringMatching(/^Missing required argument 'session'/),
  });
});
