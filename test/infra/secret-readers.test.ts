import { beforeAll, describe, expect, test } from 'vitest';
import type { Variables } from '../../infra/plan/variables.ts';
import { planTenant } from '../../infra/plan.ts';
import { planAws } from '../../infra/targets/aws/plan.ts';
import { AwsTenant } from '../../infra/targets/aws/tenant.ts';
import { KubernetesTenant } from '../../infra/targets/kubernetes/tenant.ts';
import { type Created, createdBy, ofType } from './support/pulumi-mocks.ts';
import { awsTenant, guestTenant, kubernetesTenant, large } from './support/tenants.ts';

type Process = keyof Variables;
const processes: readonly Process[] = ['api', 'worker', 'agent', 'prepare'];

const repository = {
  secrets: { OPENAI_API_KEY: 'sk', GIT_TOKEN: 'token', SIGN_IN_SECRET: 'ours', SMTP_URL: 'smtps://x' },
  signIn: { issuer: 'https://id.example.com', clientId: 'parley', clientSecret: 'SIGN_IN_SECRET' },
  mail: { url: 'SMTP_URL', from: 'no-reply@example.com' },
  agents: { repository: 'https://git.test/agents.git', token: 'GIT_TOKEN' },
};
const folders = { databaseCertificate: 'PEM', agents: undefined, policies: undefined };

const onKubernetes = planTenant(kubernetesTenant({ ...large, ...repository }));
const onAws = planTenant(awsTenant({ ...repository, guests: { count: 2, voice: 5, text: 40 } }));
const asGuest = planTenant(guestTenant(repository));

const places = [
  ['a tenant on a cluster', onKubernetes, () => new KubernetesTenant('parley-dev', { plan: onKubernetes, folders })],
  ['a foundation on aws', onAws, () => new AwsTenant('parley-acme', { plan: onAws, aws: planAws(onAws), folders })],
  ['a guest on aws', asGuest, () => new AwsTenant('parley-guest', { plan: asGuest, aws: planAws(asGuest), folders })],
] as const;

const common = ['LIVEKIT_API_KEY', 'LIVEKIT_API_SECRET', 'PARLEY_DATABASE_URL', 'PARLEY_MASTER_KEYS'];
const meant: Record<Process, readonly string[]> = {
  api: [...common, 'PARLEY_PEOPLE_KEYS', 'PARLEY_OIDC_CLIENT_SECRET', 'PARLEY_SMTP_URL', 'REDIS_URL'],
  worker: [...common, 'OPENAI_API_KEY', 'GIT_TOKEN'],
  agent: [...common, 'OPENAI_API_KEY'],
  prepare: ['PARLEY_DATABASE_URL', 'PARLEY_DATABASE_ADMIN_URL', 'PARLEY_PEOPLE_KEYS'],
};

/** Beside what the process reads everywhere. */
const alsoMeant: Record<string, Partial<Record<Process, readonly string[]>>> = {
  'a foundation on aws': { prepare: ['PARLEY_DATABASE_SERVER_URL', 'PARLEY_GUEST_DATABASE_URLS'] },
};
/** A small guest has one of everything, and no cache. */
const notMeant: Record<string, readonly string[]> = { 'a guest on aws': ['REDIS_URL'] };

describe.each(places)('%s', (place, plan, make) => {
  let created: Created[];
  beforeAll(async () => {
    created = await createdBy(make);
  });

  test.each(processes)(
    'the pods of %s can read what it is meant to read, and nothing else that is secret',
    (process) => {
      const expected = [...meant[process], ...(alsoMeant[place]?.[process] ?? [])].filter(
        (name) => !notMeant[place]?.includes(name),
      );
      expect(readableBy(created, process).sort()).toEqual([...expected].sort());
      // And that is what it is told.
      const told = plan.variables[process].filter(({ value }) => typeof value !== 'string').map(({ name }) => name);
      expect([...told].sort()).toEqual([...expected].sort());
    },
  );

  test('no process of ours reads Secrets through the API of the cluster or by its environment', () => {
    for (const { spec } of podsOf(created).filter(({ name }) => processes.some((process) => process === name))) {
      expect(spec.automountServiceAccountToken).toBe(false);
      expect(JSON.stringify(spec)).not.toMatch(/secretKeyRef|secretRef/);
    }
  });
});

interface Pod {
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: a pod's inputs, as the engine would be asked for them
  spec: any;
}

const podsOf = (created: readonly Created[]): Pod[] =>
  created.flatMap(({ type, inputs }) =>
    /^kubernetes:(apps|batch)\/v1:(Deployment|StatefulSet|Job)$/.test(type)
      ? [{ name: inputs.spec.template.metadata.labels['app.kubernetes.io/name'], spec: inputs.spec.template.spec }]
      : [],
  );

/** Names of files that hold something secret, of every volume that the process mounts; of AWS, as far as its role lets it. */
function readableBy(created: readonly Created[], process: Process): string[] {
  const pods = podsOf(created).filter(({ name }) => name === process);
  expect(pods).toHaveLength(1);
  const { volumes, serviceAccountName } = pods[0]?.spec ?? {};
  // biome-ignore lint/suspicious/noExplicitAny: volumes of several kinds
  return volumes.flatMap((volume: any) => {
    if (volume.secret) return volume.secret.items?.map(({ path }: { path: string }) => path) ?? ['all'];
    if (volume.csi) return filesOfClass(created, volume.csi.volumeAttributes.secretProviderClass, serviceAccountName);
    const sources: { secret?: { items: { path: string }[] } }[] = volume.projected?.sources ?? [];
    return sources.flatMap(({ secret }) => secret?.items.map(({ path }) => path) ?? []);
  });
}

/** What the driver would mount: whole secrets where a class names no part, and only those that the account's role may read. */
function filesOfClass(created: readonly Created[], name: string, account: string): string[] {
  const classes = ofType(created, 'kubernetes:secrets-store.csi.x-k8s.io/v1:SecretProviderClass');
  const found = classes.find(({ inputs }) => inputs.metadata.name === name);
  expect(found?.inputs.spec.secretObjects, 'no Secret of the cluster holds a copy').toBeUndefined();
  const association = ofType(created, 'aws:eks/podIdentityAssociation:PodIdentityAssociation').find(
    ({ inputs }) => inputs.serviceAccount === account,
  );
  const grants = ofType(created, 'aws:iam/rolePolicy:RolePolicy').filter(({ inputs }) =>
    association?.inputs.roleArn.endsWith(`:${inputs.role}`),
  );
  const readable = grants.flatMap(({ inputs }) => JSON.parse(inputs.policy).Statement.flatMap(resourcesOf));
  // Whoever has the role may read each of these whole, whatever the class names.
  const held = ofType(created, 'aws:secretsmanager/secretVersion:SecretVersion').filter(({ name: version }) =>
    readable.some((arn: string) => arn.endsWith(`:${version}`)),
  );
  const objects = JSON.parse(found?.inputs.spec.parameters.objects);
  expect(objects.map(({ objectName }: { objectName: string }) => objectName)).toEqual(readable);
  return held.flatMap(({ inputs }) => Object.keys(JSON.parse(inputs.secretString)));
}

const resourcesOf = ({ Resource }: { Resource: string[] }): string[] => Resource;
