import { spawnSync } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { planTenant } from '../../infra/plan.ts';
import { KubernetesTenant } from '../../infra/targets/kubernetes/tenant.ts';
import { readStack } from '../../scripts/cli/stack.ts';
import { eventually } from '../support/eventually.ts';
import { everyPodRuns, newSince, objectsOf, startCluster } from './support/cluster.ts';
import type { ControlPlane } from './support/control-plane.ts';
import { intrudersAmong, podOf } from './support/intruders.ts';
import type { KubeObject, KubeReference } from './support/kube-api.ts';
import { commandsOf, perform } from './support/pages.ts';
import { openProject, openPulumi, type PulumiHome, ShellStack, useExample } from './support/pulumi.ts';
import { createdBy } from './support/pulumi-mocks.ts';
import { kubernetesTenant, large } from './support/tenants.ts';
import { byTheAutomationApi } from './support/ways.ts';

const minute = 60_000;
/** Operators have it; the repository does not bring it. */
const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;

let cluster: ControlPlane;
let home: PulumiHome;
let project: string;
/** What was there before the tenant. */
let before: Set<string>;

beforeAll(async () => {
  cluster = await startCluster();
  home = await openPulumi({ KUBECONFIG: cluster.kubeconfigFile });
  project = await openProject(home);
  before = await objectsOf(cluster);
}, 60 * minute);

afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

describe('a tenant in a shell', () => {
  let stack: ShellStack;

  beforeAll(async () => {
    await useExample(project, 'dev');
    stack = new ShellStack(home, project, 'dev');
    await stack.init();
  });

  test('a preview shows what will be made, and makes nothing', async () => {
    expect(await stack.preview()).toMatch(/kubernetes:apps\/v1:Deployment.*create/);
    expect(await newSince(cluster, before)).toEqual([]);
  });

  test('an up that is killed while it makes things is followed by one that goes on, without a hand on the cluster', async () => {
    const up = stack.begin('up');
    await eventually('it has begun with the database', () => there('StatefulSet', 'database'), { everyMs: 50 });
    await up.kill();
    expect(await there('Deployment', 'worker')).toBe(false);
    await stack.cancel();
  });

  test('an up makes it: every object is accepted, jobs finish and pods run', async () => {
    await stack.up();
    const pods = await everyPodRuns(cluster, ['parley-dev', 'parley-dev-rooms']);
    const names = pods.map(({ metadata }) => metadata.labels?.['app.kubernetes.io/name']);
    expect(new Set(names)).toEqual(new Set(['api', 'agent', 'worker', 'database', 'prepare', 'rooms']));
  });

  test.each(['dev', 'organization/parley/dev'])(
    'commands that are given --stack %s learn from it where it is',
    async (name) => {
      expect(await readStack(name, home.env)).toMatchObject({
        ...{ url: 'https://dev.example.com', namespace: 'parley-dev', phone: undefined },
        backups: { kind: 'statefulset', namespace: 'parley-dev' },
      });
    },
  );

  test('another up and a refresh find nothing to change', async () => {
    await stack.up('--expect-no-changes');
    await stack.refresh('--expect-no-changes');
  });

  test('two changed lines of a prompt are told in words, and a preview of differences prints no definition (infra 25)', async () => {
    await cp(join(project, 'agents'), join(project, 'others'), { recursive: true, dereference: true });
    await stack.set('parley:agents.folder', 'others');
    const file = join(project, 'others', 'support.yaml');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace(/^prompt: \|\n( +)(.*)$/m, 'prompt: |\n$1Be brief.\n$1$2'));
    const told = await stack.preview();
    expect(told).toContain('support behaves differently:');
    expect(told).toMatch(/^ +\+ Be brief\.$/m);
    expect((await stack.preview('--diff')).split('\n').length).toBeLessThan(400);
    // Each is half a minute.
    if (process.env.SOAK_INFRA) await stack.up();
    await stack.set('parley:agents.folder', 'agents');
    if (process.env.SOAK_INFRA) await stack.up();
  });

  test('more capacity changes what carries it, in place', async () => {
    const uidOf = async (name: string) =>
      (await cluster.api.read({ apiVersion: 'apps/v1', kind: 'Deployment', name, namespace: 'parley-dev' }))?.metadata
        .uid;
    const earlier = await Promise.all(['api', 'agent', 'worker'].map(uidOf));
    await stack.set('parley:capacity.text', '400');
    await stack.set('parley:autoscaling', 'keda');
    await stack.set('parley:images.cache', `valkey/valkey@sha256:${'0'.repeat(64)}`);
    // And a telephone.
    await stack.set('parley:images.sipBridge', `livekit/sip@sha256:${'0'.repeat(64)}`);
    await stack.set('parley:phone.calls', '2');
    await stack.set('parley:phone.carriers[0]', '203.0.113.16/28');
    const told = await stack.preview();
    expect(told).toContain('Nobody is cut:');
    expect(told).toMatch(/agent hosts, 1 → \d+ \(.*settings.*\): rolls; nobody is cut/);
    // The server was made for so many connections that it has not to be another one (infra 26).
    expect(told).not.toContain('the database');
    await stack.up();
    expect(await Promise.all(['api', 'agent', 'worker'].map(uidOf))).toEqual(earlier);
    await everyPodRuns(cluster, ['parley-dev', 'parley-dev-rooms', 'parley-dev-phone']);
    expect(await cluster.api.list('keda.sh/v1alpha1', 'ScaledObject', 'parley-dev')).toHaveLength(1);
  });

  test('after going to another image and back the job of before runs a second time', async () => {
    const image = (letter: string) => `registry.example.com/parley@sha256:${letter.repeat(64)}`;
    await stack.set('parley:images.services', image('1'));
    await stack.up();
    await stack.set('parley:images.services', image('0'));
    await stack.up();
    const jobs = await cluster.api.list('batch/v1', 'Job', 'parley-dev');
    expect(jobs).toHaveLength(1);
  });

  test('an up that was killed after it had made things is followed by one that takes them over', async () => {
    // Of what nothing else in the state depends on.
    const last = /(Deployment::parley-dev-worker|Ingress::parley-dev-(api|rooms))$/;
    const made = (await stack.resources()).filter(({ urn }) => last.test(urn));
    expect(made).toHaveLength(3);
    for (const { urn } of made) await stack.forget(urn);
    await stack.up();
    await stack.up('--expect-no-changes');
  });

  test('a dump is brought back by a job of the stack', async () => {
    const cronJob = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'database-restore', namespace: 'parley-dev' };
    await jobFrom(cronJob, 'restore');
    await eventually('it has done its work', async () => {
      const job = await cluster.api.read({ ...cronJob, kind: 'Job', name: 'restore' });
      return (job?.status as { succeeded?: number } | undefined)?.succeeded === 1;
    });
    await cluster.api.delete({ ...cronJob, kind: 'Job', name: 'restore' });
  });

  test.runIf(hasKubectl)('the commands of docs/operate/backups.md bring a dump back', () => bringBackByThePage('dev'));

  const atRest = { backupStore: 's3://backups/dev', backupCredentials: 'store' };
  test.each([
    ['by CloudNativePG', { ...large, database: { kind: 'cloudnativepg' } }],
    ['by CloudNativePG, archived', { ...large, database: { kind: 'cloudnativepg', ...atRest } }],
    ['of somebody else', { database: { kind: 'existing', url: 'postgres://a:b@c/d', adminUrl: 'postgres://e:f@c/d' } }],
    ['in the cluster, with agents from Git', { secrets, agents: fromGit, capacity: { ...large.capacity, coldStart } }],
  ])('every object of a tenant with a database %s is accepted', async (_, fields) => {
    const plan = planTenant(kubernetesTenant(fields));
    const folders = { agents: new Map([['desk.yaml', 'x']]), policies: undefined };
    const created = await createdBy(() => new KubernetesTenant('parley-dev', { plan, folders }));
    const objects = created.map(({ inputs }) => inputs as KubeObject).filter(({ apiVersion }) => apiVersion);
    expect(objects.length).toBeGreaterThan(25);
    const answers = await Promise.all(objects.map((object) => refusalOf(object)));
    expect(answers.filter((answer) => answer !== undefined)).toEqual([]);
  });

  /** A volume's size and a Job's pod can't be changed, so what is here already is tried under another name. */
  const refusalOf = (object: KubeObject) =>
    cluster.api.apply({ ...object, metadata: { ...object.metadata, ...another(object) } }, { dryRun: true }).then(
      () => undefined,
      (error: Error) => `${object.kind} ${object.metadata.name}: ${error.message}`,
    );

  test('a pod that asks for more than the tenant may is not admitted', async () => {
    const intruder = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'intruder', namespace: 'parley-dev' },
      spec: { containers: [{ name: 'intruder', image: 'example.test/intruder' }] },
    };
    await expect(cluster.api.apply(intruder, { dryRun: true })).rejects.toThrow(/violates PodSecurity "restricted/);
  });

  test('a tenant takes no more of the nodes than its quota, drives nobody out, and leaves its neighbour its own (infra 7)', async () => {
    const worker = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'worker', namespace: 'parley-dev' };
    const pod = podOf((await cluster.api.read(worker)) as KubeObject, 'another');
    const greedy = (requests: object, more: object = {}): KubeObject => {
      const spec = pod.spec as { containers: object[] };
      const [container] = spec.containers as [{ resources: object }];
      const limits = { cpu: '1000', memory: '4000Gi' };
      return { ...pod, spec: { ...spec, ...more, containers: [{ ...container, resources: { requests, limits } }] } };
    };
    const little = { cpu: '10m', memory: '16Mi' };
    await cluster.api.apply(greedy(little), { dryRun: true });
    const cpu = greedy({ ...little, cpu: '500' });
    await expect(cluster.api.apply(cpu, { dryRun: true })).rejects.toThrow(/exceeded quota: tenant/);
    const memory = greedy({ ...little, memory: '2000Gi' });
    await expect(cluster.api.apply(memory, { dryRun: true })).rejects.toThrow(/exceeded quota: tenant/);
    const critical = greedy(little, { priorityClassName: 'system-node-critical' });
    await expect(cluster.api.apply(critical, { dryRun: true })).rejects.toThrow(/exceeded quota: no-priority/);
    // A neighbour on the same API server: what one tenant may is not taken from the other.
    const neighbour = await quotaOf('neighbour');
    await eventually(
      'its quota counts',
      async () => (await cluster.api.read(neighbour.reference))?.status !== undefined,
    );
    await expect(cluster.api.apply(cpu, { dryRun: true })).rejects.toThrow(/exceeded quota: tenant/);
    await cluster.api.apply({ ...greedy({ ...little, cpu: '2' }), metadata: neighbour.pod }, { dryRun: true });
    await cluster.api.delete({ apiVersion: 'v1', kind: 'Namespace', name: 'parley-neighbour' });
  });

  test.each([
    ['room servers', 'rooms'],
    ['SIP bridges', 'phone'],
  ])('beside %s nothing is admitted that asks for more than their network', async (_, name) => {
    const namespace = `parley-dev-${name}`;
    const own = podOf(
      (await cluster.api.read({ apiVersion: 'apps/v1', kind: 'Deployment', name, namespace })) as KubeObject,
      'another',
    );
    await cluster.api.apply(own, { dryRun: true });
    const answers = intrudersAmong(own).map(async ([what, pod]) => {
      const answer = await cluster.api.apply(pod, { dryRun: true }).then(() => 'admitted', String);
      return [what, answer.includes(`ValidatingAdmissionPolicy '${namespace}'`) ? 'refused' : answer];
    });
    expect((await Promise.all(answers)).filter(([, answer]) => answer !== 'refused')).toEqual([]);
  });

  test('no other namespace of the tenant admits a pod that shares the network of its node', async () => {
    const namespaces = (await cluster.api.list('v1', 'Namespace')).filter(
      ({ metadata }) => metadata.labels?.['parley.dev/tenant'] === 'dev' && !/-(rooms|phone)$/.test(metadata.name),
    );
    expect(namespaces.map(({ metadata }) => metadata.name)).toEqual(['parley-dev']);
    const worker = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'worker', namespace: 'parley-dev' };
    const pod = podOf((await cluster.api.read(worker)) as KubeObject, 'another');
    await cluster.api.apply(pod, { dryRun: true });
    const sharing = { ...pod, spec: { ...(pod.spec as object), hostNetwork: true } };
    await expect(cluster.api.apply(sharing, { dryRun: true })).rejects.toThrow(/host namespaces \(hostNetwork=true\)/);
  });

  test('whatever was made by hand in the meantime is put right', async () => {
    const reference = { apiVersion: 'v1', kind: 'Service', name: 'api', namespace: 'parley-dev' };
    await cluster.api.delete(reference);
    await stack.refresh();
    await stack.up();
    expect(await cluster.api.read(reference)).toBeDefined();
  });

  test('a destroy is refused before anything is gone, until the stack says whose data may be erased', async () => {
    await expect(stack.destroy()).rejects.toThrow(/protected/);
    await everyPodRuns(cluster, ['parley-dev', 'parley-dev-rooms']);
    await stack.set('parley:mayErase', 'dev');
    await stack.up();
  });

  test('a destroy leaves nothing of the tenant', async () => {
    await stack.destroy();
    expect(await stack.resources()).toEqual([]);
    expect(await newSince(cluster, before)).toEqual([]);
  });
});

const there = async (kind: string, name: string): Promise<boolean> =>
  (await cluster.api.read({ apiVersion: 'apps/v1', kind, name, namespace: 'parley-dev' })) !== undefined;

const inProject = (commands: string) => perform(commands, { cwd: project, env: home.env });

/** Nobody runs a pod here: there are no logs, and nobody for the doctor to talk to. */
async function bringBackByThePage(stack: string): Promise<void> {
  const page = await commandsOf('operate/backups.md', '## Bring one back', stack);
  const commands = page.replace(/ && kubectl \S+ \S+ logs .*$/gm, '').replace(/^npx parley doctor .*$/m, '');
  const preparations = () => cluster.api.list('batch/v1', 'Job', `parley-${stack}`);
  const numberOf = async (name: string) =>
    (await cluster.api.read({ apiVersion: 'apps/v1', kind: 'Deployment', name, namespace: `parley-${stack}` }))?.spec;
  const before = await Promise.all(['api', 'worker', 'agent'].map(numberOf));
  const [earlier] = await preparations();
  const written = await inProject(commands);
  expect(written).toContain('job.batch/restore condition met');
  expect(await Promise.all(['api', 'worker', 'agent'].map(numberOf))).toEqual(before);
  const [job, ...others] = (await preparations()).filter(({ metadata }) => !/backups/.test(metadata.name));
  expect([job?.metadata.uid === earlier?.metadata.uid, others]).toEqual([false, []]);
  await everyPodRuns(cluster, [`parley-${stack}`, `parley-${stack}-rooms`]);
}

const coldStart = 'allowed';
const secrets = { GIT: 'token', HOOK: 'a', PASSES: 'b' };
const fromGit = { repository: 'https://git.test/a.git', token: 'GIT', pushSecret: 'HOOK', passesSecret: 'PASSES' };

const another = ({ kind, metadata }: KubeObject) =>
  ['StatefulSet', 'Job', 'PersistentVolumeClaim'].includes(kind) ? { name: `${metadata.name}-2` } : {};

/** Namespace and quota of another tenant, as its stack makes them. */
async function quotaOf(slug: string) {
  const plan = planTenant({ ...kubernetesTenant(), slug });
  const folders = { agents: undefined, policies: undefined };
  const created = await createdBy(() => new KubernetesTenant(`parley-${slug}`, { plan, folders }), { stack: slug });
  const objects = created.map(({ inputs }) => inputs as KubeObject);
  for (const wanted of ['Namespace', 'ResourceQuota'])
    for (const object of objects.filter(({ kind }) => kind === wanted))
      if (`${object.metadata.name} ${object.metadata.namespace}`.includes(`parley-${slug}`) && !isOfRooms(object))
        await cluster.api.apply(object);
  const namespace = `parley-${slug}`;
  const reference = { apiVersion: 'v1', kind: 'ResourceQuota', name: 'tenant', namespace };
  return { reference, pod: { name: 'another', namespace } };
}

const isOfRooms = ({ metadata: { name, namespace } }: KubeObject) => /-rooms$/.test(namespace ?? name);

/** As `kubectl create job --from` does it. */
async function jobFrom(reference: KubeReference, name: string): Promise<void> {
  const cronJob = await cluster.api.read(reference);
  if (!cronJob) throw new Error(`there is no CronJob ${reference.name}`);
  const { spec } = (cronJob.spec as { jobTemplate: { spec: object } }).jobTemplate;
  const { apiVersion, kind, name: owner, namespace = '' } = reference;
  const ownerReferences = [{ apiVersion, kind, name: owner, uid: cronJob.metadata.uid }];
  await cluster.api.apply({ apiVersion, kind: 'Job', metadata: { name, namespace, ownerReferences }, spec });
}

// The engine is the same by another door, and it takes a minute and more: for `npm run soak -- infra`, as on AWS.
test.runIf(process.env.SOAK_INFRA)(
  'a tenant through the Automation API: previewed, made, found unchanged, changed, refreshed, destroyed',
  async () => {
    await useExample(project, 'dev', 'second');
    const stack = await byTheAutomationApi(home, project, 'second');
    await stack.set('parley:mayErase', 'second');
    const { changes } = await stack.preview();
    expect(changes.create).toBeGreaterThan(20);
    expect(await stack.up()).toEqual(changes);
    await everyPodRuns(cluster, ['parley-second', 'parley-second-rooms']);
    await stack.upUnchanged();
    await stack.set('parley:logLevel', 'debug');
    expect(await stack.up()).toMatchObject({ update: expect.any(Number) });
    await stack.refreshUnchanged();
    await stack.destroy();
    await stack.remove();
    expect(await newSince(cluster, before)).toEqual([]);
  },
  6 * minute,
);
