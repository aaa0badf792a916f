import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as k8s from '@pulumi/kubernetes';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { planTenant } from '../../infra/plan.ts';
import { enforcePolicies } from '../../infra/policies/enforce.ts';
import { planAws } from '../../infra/targets/aws/plan.ts';
import { AwsTenant } from '../../infra/targets/aws/tenant.ts';
import { KubernetesTenant } from '../../infra/targets/kubernetes/tenant.ts';
import { useTransforms } from '../../infra/transforms.ts';
import { createdBy, ofType } from './support/pulumi-mocks.ts';
import { awsTenant, images, kubernetesTenant, large } from './support/tenants.ts';

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'parley-transforms-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const folders = { databaseCertificate: 'PEM', agents: undefined, policies: undefined };

const service = { metadata: { name: 'api', labels: { 'parley.dev/tenant': 'dev' } } };

async function transformed(text: string) {
  const file = `transforms-${Math.random().toString(16).slice(2)}.mjs`;
  await writeFile(join(root, file), text);
  return createdBy(async () => {
    await useTransforms(root, file);
    enforcePolicies('dev');
    new k8s.core.v1.Service('api', service);
  });
}

test("the operator's own transforms change resources", async () => {
  const created = await transformed(`export default ({ type, props, opts }) =>
    type === 'kubernetes:core/v1:Service'
      ? { props: { ...props, metadata: { ...props.metadata, annotations: { team: 'desk' } } }, opts }
      : undefined;`);
  expect(ofType(created, 'kubernetes:core/v1:Service')[0]?.inputs.metadata.annotations).toEqual({ team: 'desk' });
});

test('the rules look at what comes out of a transform', async () => {
  const open = `export default ({ type, props, opts }) => ({ props: { ...props, metadata: { name: 'database' } }, opts });`;
  await expect(transformed(open)).rejects.toThrow(/Policy tagged-with-tenant forbids api/);
});

test('a module without a transform is refused with a sentence', async () => {
  await writeFile(join(root, 'none.mjs'), 'export const other = 1;');
  await expect(useTransforms(root, 'none.mjs')).rejects.toThrow('the default export of none.mjs must be a function');
  await expect(useTransforms(root, 'missing.mjs')).rejects.toThrow('missing.mjs beside Pulumi.yaml cannot be loaded');
  await expect(useTransforms(root, undefined)).resolves.toBeUndefined();
});

const registry = {
  secrets: { REGISTRY: '{"auths": {"registry.test": {"auth": "eA=="}}}', OPENAI_API_KEY: 'sk' },
  images: { ...images, pullSecret: 'REGISTRY' },
};

test('every pod, whoever makes it, is pulled with what opens the registry, and no process is told it', async () => {
  for (const fields of [registry, { ...large, ...registry, database: { kind: 'cloudnativepg' } }]) {
    const plan = planTenant(kubernetesTenant(fields));
    const created = await createdBy(() => new KubernetesTenant('parley-dev', { plan, folders }));
    const secrets = ofType(created, 'kubernetes:core/v1:Secret').filter(
      ({ inputs }) => inputs.metadata.name === 'registry',
    );
    expect(secrets.map(({ inputs }) => [inputs.metadata.namespace, inputs.type])).toEqual([
      ['parley-dev', 'kubernetes.io/dockerconfigjson'],
      ['parley-dev-rooms', 'kubernetes.io/dockerconfigjson'],
    ]);
    const pods = created.flatMap(({ inputs: { spec } }) => [
      ...[spec?.template?.spec, spec?.jobTemplate?.spec?.template?.spec].filter(Boolean),
      ...(spec?.bootstrap ? [spec] : []),
    ]);
    expect(pods.length).toBeGreaterThan(5);
    for (const pod of pods) expect(pod.imagePullSecrets).toEqual([{ name: 'registry' }]);
    expect(JSON.stringify(plan.variables)).not.toContain('REGISTRY');
    expect(JSON.stringify(plan.variables)).toContain('OPENAI_API_KEY');
  }
});

test('on AWS it is the same, and a kubeconfig is given out', async () => {
  const plan = planTenant(awsTenant({ ...registry, images: { ...registry.images, database: undefined } }));
  let kubeconfig: unknown;
  const created = await createdBy(() => {
    const tenant = new AwsTenant(plan.names.prefix, { plan, aws: planAws(plan), folders });
    tenant.kubeconfig.apply((text) => {
      kubeconfig = JSON.parse(text);
    });
  });
  const deployments = ofType(created, 'kubernetes:apps/v1:Deployment');
  expect(deployments).toHaveLength(4);
  for (const { inputs } of deployments)
    expect(inputs.spec.template.spec.imagePullSecrets).toEqual([{ name: 'registry' }]);
  expect(kubeconfig).toMatchObject({ kind: 'Config', users: [{ user: { exec: { command: 'aws' } } }] });
});

test('a stack takes over the keys of another, and refuses to lose its own (infra 8)', async () => {
  const key = (letter: string) => `k1:${Buffer.alloc(32, letter).toString('base64')}`;
  const masterKeysOf = async (master: string, stashed: Record<string, unknown>) => {
    const plan = planTenant(kubernetesTenant({ keys: { master } }));
    const created = await createdBy(() => new KubernetesTenant('parley-dev', { plan, folders }), { stashed });
    const secrets = ofType(created, 'kubernetes:core/v1:Secret');
    return secrets.find(({ inputs }) => inputs.metadata.name === 'master-keys')?.inputs.stringData.keys;
  };
  expect(await masterKeysOf(key('a'), {})).toBe(key('a'));
  await expect(masterKeysOf(key('b'), { 'master-keys': key('a') })).rejects.toThrow(/another key than the one/);
});

test('room servers and the API know both keys before anybody signs with the second', async () => {
  const configurationOf = async (rotation: object) => {
    const plan = planTenant(kubernetesTenant({ rotation }));
    const created = await createdBy(() => new KubernetesTenant('parley-dev', { plan, folders }), { stashed: roomKeys });
    const secrets = ofType(created, 'kubernetes:core/v1:Secret').map(({ inputs }) => inputs);
    const { 'livekit.yaml': text } = secrets.find(({ metadata }) => metadata.name === 'configuration').stringData;
    const { keys, webhook } = parse(text) as { keys: Record<string, string>; webhook: { api_key: string } };
    const { key: used, others } = secrets.find(({ metadata }) => metadata.name === 'room-keys').stringData;
    const isTold = plan.variables.api.some(({ name }) => name === 'PARLEY_OTHER_ROOM_KEYS');
    expect(isTold).toBe(others !== undefined);
    return { known: Object.keys(keys).sort(), events: webhook.api_key, used, others };
  };
  expect(await configurationOf({})).toEqual({ known: ['one'], events: 'one', used: 'one', others: undefined });
  expect(await configurationOf({ roomKeys: 2 })).toEqual({
    ...{ known: ['one', 'two'], events: 'one', used: 'one', others: 'two:second' },
  });
  expect(await configurationOf({ roomKeys: 2, roomKeyInUse: 2 })).toEqual({
    ...{ known: ['one', 'two'], events: 'two', used: 'two', others: 'one:first' },
  });
});

test('a cache and its users take the password of before, too, and the owner of the database is told by which to renew its own', async () => {
  const stashed = new Proxy<Record<string, unknown>>(
    {},
    {
      get: (_, name) => (String(name).endsWith('-keys') ? masterKey : String(name)),
      has: (_, name) => name !== 'cluster',
    },
  );
  const rotation = { cachePassword: 3, ownerPassword: 3 };
  const plan = planTenant(kubernetesTenant({ ...large, rotation }));
  const created = await createdBy(() => new KubernetesTenant('parley-dev', { plan, folders }), { stashed });
  const secretOf = (name: string) =>
    ofType(created, 'kubernetes:core/v1:Secret').find(({ inputs }) => inputs.metadata.name === name)?.inputs.stringData;
  expect(secretOf('cache-server')['valkey.conf']).toContain(
    '\nuser default on >cache-password-3 >cache-password-2 ~* &* +@all\n',
  );
  expect(secretOf('cache').url).toContain(':cache-password-3@');
  expect(secretOf('database-admin')).toEqual({
    url: expect.stringContaining(':database-admin-password-3@'),
    former: 'database-admin-password-2,database-admin-password',
  });
  const onAws = planTenant(
    awsTenant({ rotation: { ...rotation, guestPasswords: 2 }, guests: { count: 1, voice: 5, text: 40 } }),
  );
  const users = ofType(
    await createdBy(() => new AwsTenant('parley-acme', { plan: onAws, aws: planAws(onAws), folders }), { stashed }),
    'aws:elasticache/user:User',
  ).map(({ inputs }) => inputs.authenticationMode.passwords);
  expect(users).toEqual([
    ['cache-password-3', 'cache-password-2'],
    ['parley-acme-guests-1-cache-2', 'parley-acme-guests-1-cache'],
  ]);
  // There the server's own role sets it.
  expect(JSON.stringify(onAws.variables)).not.toContain('FORMER_OWNER');
});

const masterKey = `k1:${Buffer.alloc(32).toString('base64')}`;
const roomKeys = { 'room-key': 'one', 'room-secret': 'first', 'room-key-2': 'two', 'room-secret-2': 'second' };
