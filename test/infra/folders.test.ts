import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Behaviour } from '../../infra/components/behaviour.ts';
import { readFolders } from '../../infra/folders.ts';
import { createdBy, ofType } from './support/pulumi-mocks.ts';
import { awsTenant, images, kubernetesTenant, withPhone } from './support/tenants.ts';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'parley-folders-'));
  await cp(join(import.meta.dirname, '../../agents'), join(root, 'agents'), { recursive: true });
});
afterEach(() => rm(root, { recursive: true, force: true }));

const stashed = async (tenant = kubernetesTenant()) => {
  const { versions } = await readFolders(tenant, root);
  return ofType(
    await createdBy(() => new Behaviour('parley-dev', { source: tenant.agents, agents: versions })),
    'pulumi:index:Stash',
  );
};

test('every agent of the folder is an input of the stack, with what it says', async () => {
  const before = await stashed();
  expect(before.map(({ name }) => name)).toEqual(['agent-restaurant', 'agent-support']);
  expect(before[1]?.inputs.input.agent.prompt.length).toBeGreaterThan(0);
  const file = join(root, 'agents', 'knowledge', 'support.md');
  await writeFile(file, 'We are closed on Mondays.\n');
  const after = await stashed();
  expect(after[0]?.inputs).toEqual(before[0]?.inputs);
  expect(after[1]?.inputs.input.version).not.toBe(before[1]?.inputs.input.version);
  expect(after[1]?.inputs.input.agent.knowledge).toContain('closed on Mondays');
});

test('a number of an agent that does not come with the stack, or does not speak its language, stops the run', async () => {
  const carrier = { name: 'carrier', address: 'sip.example.net', allowedAddresses: ['203.0.113.16/28'] };
  const answered = (fields: object, tenant: object = {}) =>
    kubernetesTenant({
      ...withPhone(images, { trunks: [carrier], numbers: [{ number: '+4930123456', trunk: 'carrier', ...fields }] }),
      ...tenant,
    });
  await expect(readFolders(answered({ agent: 'nobody' }), root)).rejects.toThrow('agents has no nobody.yaml');
  await expect(readFolders(answered({ agent: 'support', language: 'xx' }), root)).rejects.toThrow('support speaks');
  await readFolders(answered({ agent: 'support' }), root);
  await readFolders(answered({}), root);
  // What a repository will have nobody knows here.
  await readFolders(answered({ agent: 'nobody' }, { agents: { repository: 'https://git.test/agents.git' } }), root);
});

test('of a repository the plan shows where it is read', async () => {
  const tenant = kubernetesTenant({ agents: { repository: 'https://git.test/agents.git', branch: 'live' } });
  const [source] = await stashed(tenant);
  expect(source?.inputs.input).toEqual({ repository: 'https://git.test/agents.git', branch: 'live', path: 'agents' });
});

test('agents with faults stop the run, with file and line', async () => {
  await writeFile(join(root, 'agents', 'broken.yaml'), 'name: Broken\nprompt: Hello\n');
  await expect(readFolders(kubernetesTenant(), root)).rejects.toThrow(
    /^The agents cannot go live:\n {2}agents\/broken\.yaml:\d+:\d+ .*"languages" is missing/,
  );
});

test('an agent that refers to a variable which the stack does not set for agents stops the run', async () => {
  await expect(readFolders(kubernetesTenant({ environment: {} }), root)).rejects.toThrow(
    /agents\/tools\/book_table\.yaml:36:15 The variable DEMO_TOOLS_URL is not declared for agents/,
  );
});

test('an agent that may talk longer than room servers wait stops the run', async () => {
  await expect(readFolders(kubernetesTenant({ longestConversation: '1m' }), root)).rejects.toThrow(
    'agents/support.yaml allows longer conversations than parley:longestConversation (1m): raise it.',
  );
});

test('what does not go with a stack is told', async () => {
  const missing = kubernetesTenant({ agents: { folder: 'agents', policies: 'rules' } });
  await expect(readFolders(missing, root)).rejects.toThrow(/rules/);
  await expect(readFolders(awsTenant(), root)).rejects.toThrow(
    'rds.pem beside Pulumi.yaml holds no certificate in PEM',
  );
  await writeFile(join(root, 'rds.pem'), '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
  const { databaseCertificate } = await readFolders(awsTenant(), root);
  expect(databaseCertificate).toContain('BEGIN CERTIFICATE');
  await mkdir(join(root, 'agents', 'knowledge'), { recursive: true });
  await writeFile(join(root, 'agents', 'knowledge', 'large.md'), 'x'.repeat(950_000));
  await expect(readFolders(kubernetesTenant(), root)).rejects.toThrow(
    /Put it into a repository: parley:agents\.repository/,
  );
});
