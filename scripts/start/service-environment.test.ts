import { mkdtemp, readdir, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { settings, settingsIn } from '../../services/settings/settings.ts';
import { variables } from '../../services/settings/write.ts';
import { serviceEnvironment } from './service-environment.ts';

const theirs = {
  ...{ PATH: '/bin', HOME: '/home/a', AWS_SECRET_ACCESS_KEY: 'x', NPM_TOKEN: 'x', OPENAI_API_KEY: 'sk' },
  ...{ CRM_TOKEN: 'crm', GIT_TOKEN: 'git', LANG: 'de_DE.UTF-8' },
  ...variables({ databaseAdminUrl: 'postgres://owner:x@h/d', judge: { model: 'm', apiKey: 'judge' } }),
  ...variables({ repository: { tokenEnv: 'GIT_TOKEN' } }),
};
const masterKeys = `k1:${Buffer.alloc(32).toString('base64')}`;
const ours = variables({
  ...{ databaseUrl: 'postgres://service:x@h/d', masterKeys, tenant: 'local', environment: 'development', port: 1 },
  roomServer: { url: 'ws://h', publicUrl: 'ws://h', apiKey: 'key', apiSecret: 'secret' },
  agentVariables: ['CRM_TOKEN'],
  agentsFolder: '/agents',
});
const services = ['api', 'worker', 'agent'] as const;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-service-'));
});

const environmentOf = (service: (typeof services)[number]) =>
  serviceEnvironment(service, { theirs, ours }, join(folder, service));

test.each(services)(
  '%s finds in its environment and its files what it reads, and nothing that others read',
  async (service) => {
    const found = await environmentOf(service);
    const files = await readdir(join(folder, service));
    const declared = settingsIn(settings).map(({ setting }) => setting);
    const read = new Set(declared.flatMap(({ name, readBy }) => (service in readBy ? [name] : [])));
    // The worker passes the judge's on to scenarios.
    const isPassedOn = (name: string) => service === 'worker' && name.startsWith('PARLEY_JUDGE');
    const foreign = declared.filter(({ name }) => !read.has(name) && !isPassedOn(name));
    expect(foreign.map(({ name }) => name).filter((name) => name in found || files.includes(name))).toEqual([]);
    for (const name of ['AWS_SECRET_ACCESS_KEY', 'NPM_TOKEN']) expect(found).not.toHaveProperty(name);
    expect(found).toMatchObject({ PATH: '/bin', HOME: '/home/a', LANG: 'de_DE.UTF-8' });
  },
);

test('keys of models and variables of agents go to those that run agents, and the repository’s token to the worker', async () => {
  const holders = async (name: string) => {
    const found = await Promise.all(services.map(async (service) => [service, await environmentOf(service)] as const));
    return found.filter(([, environment]) => name in environment).map(([service]) => service);
  };
  expect(await holders('OPENAI_API_KEY')).toEqual(['worker', 'agent']);
  expect(await holders('CRM_TOKEN')).toEqual(['worker', 'agent']);
  expect(await holders('GIT_TOKEN')).toEqual(['worker']);
});

test.each(services)('%s gets the secrets of the installation as files that only their owner reads', async (service) => {
  const found = await environmentOf(service);
  for (const secret of [masterKeys, 'secret', 'postgres://service:x@h/d'])
    expect(Object.values(found)).not.toContain(secret);
  const file = join(folder, service, settings.masterKeys.name);
  expect(await readFile(file, 'utf8')).toBe(masterKeys);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});
