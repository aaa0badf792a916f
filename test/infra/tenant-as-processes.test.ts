import { join } from 'node:path';
import { afterAll, beforeAll, test } from 'vitest';
import { Person } from '../support/person.ts';
import { startCluster } from './support/cluster.ts';
import type { ControlPlane } from './support/control-plane.ts';
import { openProject, openPulumi, type PulumiHome, ShellStack, useExample } from './support/pulumi.ts';
import { TenantProcesses } from './support/tenant-processes.ts';

const minute = 60_000;

let cluster: ControlPlane;
let home: PulumiHome;
let tenant: TenantProcesses;

beforeAll(async () => {
  cluster = await startCluster();
  home = await openPulumi({ KUBECONFIG: cluster.kubeconfigFile });
  const project = await openProject(home);
  await useExample(project, 'dev');
  const stack = new ShellStack(home, project, 'dev');
  await stack.init();
  await stack.up();
  const files = join(home.folder, 'files');
  tenant = await TenantProcesses.open(cluster, { slug: 'dev', domain: 'dev.example.com', folder: files });
}, 60 * minute);

afterAll(async () => {
  await tenant?.[Symbol.asyncDispose]();
  await home?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

test('the containers of a tenant, run as processes with what its objects give them, hold a conversation', async () => {
  await tenant.prepare();
  // As at every later rollout.
  await tenant.prepare();
  await Promise.all([tenant.start('api'), tenant.start('agent'), tenant.start('worker')]);
  const customer = await tenant.customer('support');
  const session = await customer.createSession({ interactionMode: 'TEXT' });
  await using person = await Person.join(session);
  await person.ask('Hello');
});
