import { expect, test } from 'vitest';
import type { Variable, Variables } from '../../infra/plan/variables.ts';
import { planTenant } from '../../infra/plan.ts';
import { readSettings } from '../../scripts/prepare/settings.ts';
import { readConfig as readAgent } from '../../services/agent/config.ts';
import { readConfig as readApi } from '../../services/api/config.ts';
import { settings, settingsIn } from '../../services/settings/settings.ts';
import { readConfig as readWorker } from '../../services/worker/config.ts';
import { awsTenant, images, kubernetesTenant, large, withPhone } from './support/tenants.ts';

type Read = (environment: Record<string, string | undefined>) => unknown;

const readers: Record<keyof Variables, Read> = {
  api: readApi,
  worker: readWorker,
  agent: readAgent,
  prepare: readSettings,
};

/** What secrets would hold, in the form that a process asks for. */
const secretValues: Record<string, string> = {
  'database.url': 'postgres://parley:secret@database:5432/parley',
  'database-server.url': 'postgres://parley_server:secret@database:5432/postgres',
  'database-guests.urls': 'postgres://guest_1_admin:secret@database:5432/guest_1',
  'database-admin.url': 'postgres://parley_admin:secret@database:5432/parley',
  'room-keys.key': 'key',
  'room-keys.secret': 'secret',
  'room-keys.others': 'key-2:secret-2',
  'master-keys.keys': `k1:${Buffer.alloc(32).toString('base64')}`,
  'people-keys.keys': `k1:${Buffer.alloc(32).toString('base64')}`,
  'own.SMTP': 'smtps://mail.example.com',
  'cache.url': 'redis://:secret@cache:6379/0',
};

const inContainer = ({ value }: Variable) =>
  typeof value === 'string' ? value : (secretValues[`${value.secret}.${value.key}`] ?? 'a secret of the tenant');

/** Gives the variables to the process's own reader, and the names that it asked for. */
function namesRead(read: Read, variables: readonly Variable[]): Set<string> {
  const names = new Set<string>();
  const values = Object.fromEntries(variables.map((variable) => [variable.name, inContainer(variable)]));
  read(
    new Proxy(values, {
      get(target, name: string) {
        names.add(name);
        return target[name];
      },
    }),
  );
  return names;
}

/** Read, and rightly not set: the setting says why. */
const leftOut = (process: keyof Variables): string[] =>
  settingsIn(settings).flatMap(({ setting: { name, readBy, notInStacks } }) =>
    notInStacks !== undefined && process in readBy ? [name] : [],
  );

const secrets = {
  OPENAI_API_KEY: 'sk',
  GIT_TOKEN: 'token',
  GIT_PUSH: 'p',
  GIT_KEY: 'key',
  PUSH: 'push',
  PASSES: 'passes',
  STATUS: 'status',
  SIGN_IN: 'sign-in',
  SMTP: 'smtps://mail.example.com',
  TURNSTILE: 'turnstile',
  HCAPTCHA: 'hcaptcha',
};
const signIn = {
  ...{ issuer: 'https://id.example.com', clientId: 'parley', clientSecret: 'SIGN_IN', name: 'Acme' },
  passwords: 'refused' as const,
};
const repository = { repository: 'https://git.test/agents.git' };
const folder = planTenant(
  kubernetesTenant({
    ...{ ...large, secrets: { OPENAI_API_KEY: 'sk' }, environment: { SHOP: 'x' } },
    network: { providerHosts: ['models.internal:8000'] },
    ...withPhone(images, {
      trunks: [{ name: 'carrier', address: 'sip.example.net', allowedAddresses: ['203.0.113.1'] }],
    }),
  }),
);
const git = planTenant(
  kubernetesTenant({
    ...large,
    secrets,
    signIn,
    mail: { url: 'SMTP', from: 'Parley <no-reply@acme.example.com>' },
    challenges: { turnstile: 'TURNSTILE', hcaptcha: 'HCAPTCHA' },
    firstOwner: 'owner@acme.example.com',
    rotation: { roomKeys: 2, ownerPassword: 2 },
    agents: {
      ...repository,
      token: 'GIT_TOKEN',
      writeToken: 'GIT_PUSH',
      directWrites: true,
      pushSecret: 'PUSH',
      passesSecret: 'PASSES',
      sshKey: 'GIT_KEY',
      sshKnownHosts: 'git.test ssh-ed25519 AAAA',
      policies: 'policies',
      commitStatus: { host: 'gitea', url: 'https://git.test/api/v1/repos/a/b', token: 'STATUS' },
    },
  }),
);

const onAws = planTenant(awsTenant({ secrets: { OPENAI_API_KEY: 'sk' }, guests: { count: 3, voice: 5, text: 40 } }));
const plans = [folder, git, onAws];

test.each(Object.keys(readers) as (keyof Variables)[])(
  '%s starts on its variables, and every one it reads is set',
  (name) => {
    const read = readers[name];
    const sets = plans.map((plan) => plan.variables[name]);
    const asked = new Set(sets.flatMap((variables) => [...namesRead(read, variables)]));
    const set = new Set(sets.flatMap((variables) => variables.map((variable) => variable.name)));
    expect([...asked].filter((one) => !set.has(one)).sort()).toEqual(leftOut(name).sort());
  },
);

test.each(Object.keys(readers) as (keyof Variables)[])('%s is given nothing that it does not read', (name) => {
  for (const variables of plans.map((plan) => plan.variables[name])) {
    const asked = namesRead(readers[name], variables);
    const idle = variables.map((variable) => variable.name).filter((one) => !asked.has(one));
    // Agents' files name their own variables.
    expect(idle.filter((one) => !['OPENAI_API_KEY', 'SHOP', 'DEMO_TOOLS_URL'].includes(one))).toEqual([]);
  }
});

test('each process knows the image that it is of', () => {
  for (const name of ['api', 'worker', 'agent'] as const) {
    const release = folder.variables[name].find((variable) => variable.name === settings.release.name);
    expect(release?.value).toBe(images.services.split('@')[1]);
  }
});

test('what opens the repository of the agents is not given to the hosts that run them', () => {
  const names = git.variables.agent.map(({ name }) => name);
  expect(names).toContain('OPENAI_API_KEY');
  for (const name of ['GIT_TOKEN', 'GIT_KEY', 'PUSH', 'PASSES', 'STATUS']) expect(names).not.toContain(name);
});

test('agents may refer to what the stack sets for them, and not to what opens their repository', () => {
  const declaredTo = (name: 'api' | 'worker' | 'agent') =>
    git.variables[name].find((variable) => variable.name === settings.agentVariables.name)?.value;
  expect(declaredTo('agent')).toBe('DEMO_TOOLS_URL,OPENAI_API_KEY');
  expect(declaredTo('worker')).toBe(declaredTo('agent'));
  expect(declaredTo('api')).toBeUndefined();
});

test('nobody but the job may use the database as its owner', () => {
  const { prepare, ...services } = folder.variables;
  expect(prepare.map(({ name }) => name)).toContain('PARLEY_DATABASE_ADMIN_URL');
  for (const variables of Object.values(services)) {
    expect(variables.some(({ value }) => typeof value !== 'string' && value.secret === 'database-admin')).toBe(false);
  }
});
