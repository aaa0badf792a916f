import { describe, expect, test } from 'vitest';
import { ConfigurationError } from '../process/environment.ts';
import { readSettings } from './read.ts';
import { isGroup, type Process, type Setting, type Tree } from './setting.ts';
import { settings, settingsIn, subjects } from './settings.ts';
import { plannedVariables, variables } from './write.ts';

const all = settingsIn(settings).map(({ setting }) => setting);
const processes = [...new Set(all.flatMap(({ readBy }) => Object.keys(readBy) as Process[]))];

const inEveryProcess = {
  databaseUrl: 'postgres://parley_service:x@localhost/parley',
  roomServer: { url: 'ws://localhost:7880', apiKey: 'key', apiSecret: 'secret' },
  masterKeys: `k1:${Buffer.alloc(32).toString('base64')}`,
};

test('a variable is declared once, and is part of one subject', () => {
  const declarations = new Map<string, Set<unknown>>();
  for (const { name, parse } of all) declarations.set(name, (declarations.get(name) ?? new Set()).add(parse));
  expect([...declarations].filter(([, ways]) => ways.size > 1)).toEqual([]);
  const keys = Object.values(subjects).flatMap((subject) => Object.keys(subject));
  expect(keys.toSorted()).toEqual(Object.keys(settings).toSorted());
});

test('the field that opens a group is one of its settings', () => {
  const openers = (tree: Tree): string[] =>
    Object.values(tree).flatMap((node) => {
      if (!isGroup(node)) return [];
      const { opensWith, settings: fields } = node;
      const isMissing = opensWith !== undefined && (fields[opensWith] === undefined || isGroup(fields[opensWith]));
      return [...(isMissing ? [opensWith] : []), ...openers(fields)];
    });
  expect(openers(settings)).toEqual([]);
});

describe('reading', () => {
  test('gives a process its settings, those in groups too, with the defaults that it has', () => {
    const given = readSettings('agent', variables({ ...inEveryProcess, warmRooms: 9 }));
    expect(given).toMatchObject({ ...inEveryProcess, warmRooms: 9, capacity: 200, internalPort: 7802 });
    expect(given).not.toHaveProperty('retryScale');
    expect(given).not.toHaveProperty('repository');
  });

  test('leaves a group unread that is not opened, and asks for all of one that is', () => {
    const read = (text: Record<string, string>) => readSettings('scenarios', text).judge;
    expect(read({ [settings.judge.settings.baseUrl.name]: 'http://x' })).toBeUndefined();
    expect(read(variables({ judge: { model: 'm' } }))).toEqual({ model: 'm', baseUrl: undefined, apiKey: undefined });
    const prepared = {
      databaseUrl: inEveryProcess.databaseUrl,
      databaseAdminUrl: inEveryProcess.databaseUrl,
      tenant: 'acme',
    };
    expect(readSettings('prepare', variables(prepared)).firstOwner).toBeUndefined();
    expect(() =>
      readSettings('prepare', variables({ ...prepared, firstOwner: { email: 'owner@acme.example.com' } })),
    ).toThrow(/PARLEY_MASTER_KEYS is missing/);
  });

  test('tells faults between values together with those of single ones', () => {
    const read = () => readSettings('api', {}, (_, fault) => fault('These do not go together.'));
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow(/PARLEY_DATABASE_URL is missing[\s\S]*These do not go together\./);
  });

  test.each(processes)('never says what a variable holds: %s', (process) => {
    const marked = Object.fromEntries(all.map(({ name }) => [name, `value-of-${name.length}:`]));
    const message = messageOf(() => readSettings(process, marked));
    expect(message).not.toContain('value-of');
  });
});

describe('writing', () => {
  test('gives back what is read', () => {
    const values = { features: { webhook: true }, tenant: 'acme', tenantName: 'Acme' };
    const text = variables({ ...inEveryProcess, ...values, databaseAdminUrl: inEveryProcess.databaseUrl });
    expect(text.PARLEY_FEATURES).toBe('webhook');
    expect(readSettings('prepare', text)).toMatchObject(values);
  });

  test('leaves out what is undefined', () => {
    expect(variables({ redisUrl: undefined, voiceCapacity: 12 })).toEqual({ PARLEY_VOICE_CAPACITY: '12' });
  });

  test('takes no name and no type that is not declared', () => {
    // @ts-expect-error: there is no such setting
    variables({ voiceCapacities: 12 });
    // @ts-expect-error: it is a number
    variables({ voiceCapacity: '12' });
    // @ts-expect-error: the group has no such field
    variables({ roomServer: { uri: 'ws://x' } });
  });
});

describe('a plan', () => {
  const reference = { secret: 'own', key: 'x' };
  const planned = {
    databaseUrl: reference,
    databaseAdminUrl: reference,
    formerOwnerPasswords: undefined,
    databaseServerUrl: undefined,
    peopleKeys: undefined,
    guestDatabaseUrls: undefined,
    guestConnections: undefined,
    tenant: 'acme',
    tenantName: 'Acme',
    features: {},
    telephone: undefined,
    firstOwner: undefined,
    secretsFolder: '/etc/secrets',
  };

  test('gives secrets by reference, and everything else as text', () => {
    expect(plannedVariables('prepare', planned)).toEqual([
      { name: 'PARLEY_DATABASE_URL', value: reference },
      { name: 'PARLEY_DATABASE_ADMIN_URL', value: reference },
      { name: 'PARLEY_TENANT', value: 'acme' },
      { name: 'PARLEY_TENANT_NAME', value: 'Acme' },
      { name: 'PARLEY_FEATURES', value: '' },
      { name: 'PARLEY_SECRETS_DIR', value: '/etc/secrets' },
    ]);
  });

  test('has to decide all that a process reads, and nothing that it does not', () => {
    const { tenant: _, ...withoutTenant } = planned;
    // @ts-expect-error: the tenant is forgotten
    plannedVariables<'prepare', typeof reference>('prepare', withoutTenant);
    // @ts-expect-error: the job carries no sessions
    plannedVariables<'prepare', typeof reference>('prepare', { ...planned, voiceCapacity: 12 });
    // @ts-expect-error: a secret is no text of the plan
    plannedVariables<'prepare', typeof reference>('prepare', { ...planned, databaseUrl: 'postgres://x:y@z/a' });
  });
});

test('what opens something, or has a password in it, is declared as secret', () => {
  const looksSecret = ({ name }: Setting) => /(_KEYS?|_SECRET|_PASSWORD|_TOKEN|DATABASE.*_URL|REDIS_URL)$/.test(name);
  expect(all.filter((one) => looksSecret(one) && !one.secret).map(({ name }) => name)).toEqual([]);
});

function messageOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}
