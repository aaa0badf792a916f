import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { roomNodes } from '../../infra/versions.ts';
import { everyPodRuns, newSince, objectsOf, startCluster } from './support/cluster.ts';
import { type ControlPlane, fakeNode } from './support/control-plane.ts';
import { type Moto, startMoto } from './support/moto.ts';
import { openProject, openPulumi, type PulumiHome, useExample } from './support/pulumi.ts';
import { type OperatedStack, ways } from './support/ways.ts';

const minute = 60_000;

let cluster: ControlPlane;
let moto: Moto;
let home: PulumiHome;
/** What was there before the tenants. */
let before: Set<string>;
let project: string;

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
  project = await openProject(home);
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
}, 60 * minute);

afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
  await Promise.all([cluster?.[Symbol.asyncDispose](), moto?.[Symbol.asyncDispose]()]);
});

/** As the stack's node groups would bring them, two of each, and those for rooms of the colour that is active. */
async function addNodes(): Promise<void> {
  for (const group of ['rooms', 'agents', 'general'])
    for (const zone of ['a', 'b']) {
      const key = 'parley.dev/nodes';
      const taints = group === 'rooms' ? [{ key, value: group, effect: 'NoSchedule' }] : [];
      const colour = group === 'rooms' ? { 'parley.dev/rooms': roomNodes.active } : {};
      await cluster.api.apply(fakeNode(`${group}-${zone}`, zone, { [key]: group, ...colour }, taints));
    }
}

// The engine works through some 150 resources each time.
vi.setConfig({ testTimeout: 10 * minute });

describe.each(ways)('a tenant and a guest of its foundation, %s', (_, open) => {
  let acme: OperatedStack;
  let shop: OperatedStack;

  beforeAll(async () => {
    for (const name of ['acme', 'shared']) await useExample(project, name);
    acme = await open(home, project, 'acme');
    shop = await open(home, project, 'shared');
    await shop.set('parley:mayErase', 'shared');
  });

  test('a preview tells what will be made and what it costs, and makes nothing', async () => {
    const { output, changes } = await acme.preview();
    expect(output).toMatch(/aws:eks:Cluster parley-acme create/);
    for (const type of ['aws:rds:Instance', 'aws:lb:LoadBalancer', 'kubernetes:apps/v1:Deployment'])
      expect(output).toContain(type);
    expect(output).toMatch(/About [\d.]+ USD a month while nobody talks/);
    expect(output).toMatch(/1 000 spoken minutes cost about [\d.]+ USD more/);
    expect(changes.create).toBeGreaterThan(100);
    expect(await living()).toEqual([]);
    expect(await newSince(cluster, before)).toEqual([]);
  });

  test('a foundation with its tenant is made and runs, and another up changes nothing', async () => {
    await acme.up();
    await everyPodRuns(cluster, ['parley-acme', 'parley-acme-rooms']);
    await acme.upUnchanged();
  });

  test('a small tenant on it has no cluster, no server and no balancer of its own', async () => {
    const { changes } = await shop.preview();
    const dear = (await living()).filter((name) => /Cluster|rds|LoadBalancer/.test(name));
    expect(await shop.up()).toEqual(changes);
    await everyPodRuns(cluster, ['parley-shared', 'parley-shared-rooms']);
    expect((await living()).filter((name) => /Cluster|rds|LoadBalancer/.test(name))).toEqual(dear);
    await shop.upUnchanged();
  });

  test('more capacity changes the small tenant in place', async () => {
    await shop.set('parley:capacity.text', '60');
    const changes = await shop.up();
    expect(changes.update).toBeGreaterThan(0);
    expect(changes).not.toHaveProperty('delete');
    expect(await everyPodRuns(cluster, ['parley-shared-rooms'])).toHaveLength(2);
    await shop.refreshUnchanged();
  });

  test('the guest is destroyed, and its foundation stands', async () => {
    await shop.destroy();
    await shop.remove();
    await acme.refreshUnchanged();
  });

  test('a foundation gives a guest’s slot back, and one that may be deleted is destroyed: nothing is left of either', async () => {
    await acme.set('parley:guests.count', '1');
    await acme.set('parley:mayErase', 'acme');
    await acme.set('parley:aws.deletionProtection', 'false');
    const changes = await acme.up();
    expect(changes.update).toBeGreaterThan(0);
    // Two passwords, and the slot's user of the cache.
    expect(changes.delete).toBeGreaterThanOrEqual(3);
    await acme.destroy();
    await acme.remove();
    expect(await living()).toEqual([]);
    expect(await newSince(cluster, before)).toEqual([]);
  });
});

/** What there is in the made-up account of AWS. */
const living = async () => (await readdir(join(home.env.STAND_IN_AWS_ACCOUNT ?? '', 'living')).catch(() => [])).sort();
