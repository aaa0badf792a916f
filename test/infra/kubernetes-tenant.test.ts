import { expect, test } from 'vitest';
import { KubernetesTenant } from '../../infra/components/kubernetes-tenant.ts';
import type { Tenant } from '../../infra/config.ts';
import { planTenant } from '../../infra/plan.ts';
import { createdBy, ofType } from '../support/pulumi-mocks.ts';
import { kubernetesTenant, large } from '../support/tenants.ts';

const folders = {
  agents: new Map([
    ['desk.yaml', 'name: Desk'],
    ['tools/look_up.yaml', 'x: y'],
  ]),
  policies: undefined,
};

const resourcesOf = (tenant: Tenant) =>
  createdBy(() => new KubernetesTenant('parley-dev', { plan: planTenant(tenant), folders }));

const deployment = 'kubernetes:apps/v1:Deployment';

test('a small tenant is one of each', async () => {
  const created = await resourcesOf(kubernetesTenant());
  const deployments = ofType(created, deployment).map(({ inputs }) => [inputs.metadata.name, inputs.spec.replicas]);
  expect(Object.fromEntries(deployments)).toEqual({ rooms: 1, api: 1, worker: 1, agent: undefined });
  expect(ofType(created, 'kubernetes:policy/v1:PodDisruptionBudget')).toHaveLength(0);
  expect(ofType(created, 'kubernetes:apps/v1:StatefulSet')).toHaveLength(1);
});

test('a large tenant has two of each, and a cache by which they are one', async () => {
  const created = await resourcesOf(kubernetesTenant(large));
  const deployments = ofType(created, deployment).map(({ inputs }) => [inputs.metadata.name, inputs.spec.replicas]);
  expect(Object.fromEntries(deployments)).toEqual({ rooms: 2, api: 2, worker: 2, agent: undefined, cache: 1 });
  const budgets = ofType(created, 'kubernetes:policy/v1:PodDisruptionBudget').map(({ inputs }) => inputs.metadata.name);
  expect(budgets.sort()).toEqual(['agent', 'api', 'rooms']);
});

test('only room servers share the network of their node', async () => {
  const created = await resourcesOf(kubernetesTenant());
  const sharing = created.filter(({ inputs }) => inputs.spec?.template?.spec?.hostNetwork === true);
  expect(sharing.map(({ inputs }) => [inputs.metadata.namespace, inputs.metadata.name])).toEqual([
    ['parley-dev-rooms', 'rooms'],
  ]);
  const levels = ofType(created, 'kubernetes:core/v1:Namespace').map(({ inputs }) => [
    inputs.metadata.name,
    inputs.metadata.labels['pod-security.kubernetes.io/enforce'],
  ]);
  expect(Object.fromEntries(levels)).toEqual({ 'parley-dev': 'restricted', 'parley-dev-rooms': 'privileged' });
});

test('agents come as a folder whose name is its content', async () => {
  const created = await resourcesOf(kubernetesTenant());
  const [map] = ofType(created, 'kubernetes:core/v1:ConfigMap');
  expect(map?.inputs.metadata.name).toMatch(/^agents-[0-9a-f]{10}$/);
  const worker = ofType(created, deployment).find(({ inputs }) => inputs.metadata.name === 'worker');
  const volume = worker?.inputs.spec.template.spec.volumes.find(({ name }: { name: string }) => name === 'agents');
  expect(volume.configMap.name).toBe(map?.inputs.metadata.name);
  expect(volume.configMap.items.map(({ path }: { path: string }) => path)).toEqual(['desk.yaml', 'tools/look_up.yaml']);
});
