import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { automation } from '@pulumi/pulumi';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { everyPodRuns, newSince, objectsOf, startCluster } from './support/cluster.ts';
import { type ControlPlane, fakeNode } from './support/control-plane.ts';
import { type Moto, startMoto } from './support/moto.ts';
import { openProject, openPulumi, type PulumiHome, ShellStack, useExample } from './support/pulumi.ts';

const minute = 60_000;

let cluster: ControlPlane;
let moto: Moto;
let home: PulumiHome;
/** What was there before the tenants. */
let before: Set<string>;
let acme: ShellStack;
let shop: ShellStack;
/** The same, as a program works with it. */
let byApi: automation.Stack;

beforeAll(async () => {
  [cluster, moto] = await Promise.all([startCluster(), startMoto()]);
  const { clusters, users } = parse(cluster.kubeconfig);
  home = await openPulumi({
    STAND_IN_MOTO_URL: moto.url,
    STAND_IN_CLUSTER_URL: clusters[0].cluster.server,
    STAND_IN_CLUSTER_CA: clusters[0].cluster['certificate-authority-data'],
    STAND_IN_CLUSTER_TOKEN: users[0].user.token,
  });
  await addNodes();
  before = await objectsOf(cluster);
  const project = await openProject(home);
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-subj',
      '/CN=rds',
      '-keyout',
      '/dev/null',
      '-out',
      join(project, 'rds.pem'),
    ],
    { stdio: 'ignore' },
  );
  for (const name of ['acme', 'shared']) await useExample(project, name);
  acme = new ShellStack(home, project, 'acme');
  shop = new ShellStack(home, project, 'shared');
  await acme.init();
  byApi = await automation.LocalWorkspace.createStack(
    { stackName: 'shared', workDir: project },
    {
      pulumiCommand: await automation.PulumiCommand.get({ root: home.installation }),
      pulumiHome: home.env.PULUMI_HOME ?? '',
      envVars: home.env,
    },
  );
}, 60 * minute);

afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
  await Promise.all([cluster?.[Symbol.asyncDispose](), moto?.[Symbol.asyncDispose]()]);
});

/** As the stack's node groups would bring them, two of each. */
async function addNodes(): Promise<void> {
  for (const group of ['rooms', 'agents', 'general'])
    for (const zone of ['a', 'b']) {
      const key = 'parley.dev/nodes';
      const taints = group === 'rooms' ? [{ key, value: group, effect: 'NoSchedule' }] : [];
      await cluster.api.apply(fakeNode(`${group}-${zone}`, zone, { [key]: group }, taints));
    }
}

// The engine works through some 150 resources each time.
vi.setConfig({ testTimeout: 10 * minute });

test('a preview makes nothing', async () => {
  expect(await acme.preview()).toMatch(/aws:eks:Cluster parley-acme create/);
  expect(await acme.resources()).toEqual([]);
  expect(await newSince(cluster, before)).toEqual([]);
});

test('a foundation and its tenant: made, running, unchanged, refreshed', async () => {
  await acme.up();
  await everyPodRuns(cluster, ['parley-acme', 'parley-acme-rooms']);
  await acme.preview('--expect-no-changes');
  await acme.up('--expect-no-changes');
  await acme.refresh('--expect-no-changes');
});

test('a small tenant on the same foundation has no cluster, no server and no balancer of its own', async () => {
  const { changeSummary } = await byApi.preview();
  const { summary } = await byApi.up();
  expect(summary.resourceChanges?.create).toBe(changeSummary.create);
  await everyPodRuns(cluster, ['parley-shared-rooms']);
  await byApi.up({ expectNoChanges: true });
  await byApi.refresh({ expectNoChanges: true });
  const types = new Set((await shop.resources()).map(({ type }) => type));
  for (const dear of ['eks/cluster:Cluster', 'rds/instance:Instance', 'lb/loadBalancer:LoadBalancer'])
    expect(types).not.toContain(`aws:${dear}`);
});

test('more capacity changes the small tenant in place', async () => {
  await byApi.setConfig('parley:capacity.text', { value: '60' }, true);
  const { summary } = await byApi.up();
  expect(summary.resourceChanges?.update).toBeGreaterThan(0);
  expect(summary.resourceChanges).not.toHaveProperty('delete');
  const pods = await everyPodRuns(cluster, ['parley-shared-rooms']);
  expect(pods).toHaveLength(2);
  await byApi.up({ expectNoChanges: true });
});

test('both are destroyed, the guest first, and nothing is left of either', async () => {
  await byApi.destroy();
  await acme.set('parley:aws.deletionProtection', 'false');
  await acme.up();
  await acme.destroy();
  expect([...(await shop.resources()), ...(await acme.resources())]).toEqual([]);
  expect(await readdir(join(home.env.STAND_IN_AWS_ACCOUNT ?? '', 'living'))).toEqual([]);
  expect(await newSince(cluster, before)).toEqual([]);
});
