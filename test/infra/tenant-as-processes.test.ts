import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Person } from '../support/people/person.ts';
import { startCluster } from './support/cluster.ts';
import type { ControlPlane } from './support/control-plane.ts';
import { openProject, openPulumi, type PulumiHome, ShellStack, useExample } from './support/pulumi.ts';
import { TenantProcesses } from './support/tenant-processes.ts';

const minute = 60_000;

let cluster: ControlPlane;
let home: PulumiHome;
let tenant: TenantProcesses;
/** Commands, by their names. */
let outputs: { credentials: string; invitation: string };

beforeAll(async () => {
  cluster = await startCluster();
  home = await openPulumi({ KUBECONFIG: cluster.kubeconfigFile });
  const project = await openProject(home);
  await useExample(project, 'dev');
  const stack = new ShellStack(home, project, 'dev');
  await stack.init();
  await stack.set('parley:firstOwner', 'owner@example.com');
  await stack.up();
  outputs = (await stack.outputs()) as typeof outputs;
  const files = join(home.folder, 'files');
  tenant = await TenantProcesses.open(cluster, { slug: 'dev', domain: 'dev.example.com', folder: files });
}, 60 * minute);

afterAll(async () => {
  await tenant?.[Symbol.asyncDispose]();
  await home?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

test('the containers of a tenant, run as processes with what its objects give them, hold a conversation and answer their operator', async () => {
  await tenant.prepare();
  // As at every later rollout.
  await tenant.prepare();
  await Promise.all([tenant.start('api'), tenant.start('agent'), tenant.start('worker')]);
  const customer = await tenant.customer(outputs.credentials.replace('<agent>', 'support'));
  const session = await customer.createSession({ interactionMode: 'TEXT' });
  await using person = await Person.join(session);
  await person.ask('Hello');
  expect(await tenant.answerOf(outputs.invitation)).toMatch(
    /owner@example\.com\n.*https:\/\/dev\.example\.com\/invitation#inv_[A-Za-z0-9_-]{43}\n/,
  );
});
