import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type ControlPlane, startControlPlane } from './support/control-plane.ts';

const minute = 60_000;
let cluster: ControlPlane;

beforeAll(async () => {
  cluster = await startControlPlane();
}, 60 * minute);

afterAll(() => cluster?.[Symbol.asyncDispose]());

const deployment = (namespace: string, securityContext: object) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'example.test/web', securityContext }] },
    },
  },
});

const restricted = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

test('pods run on the nodes, admission refuses those that the namespace does not allow, and everything ends', async () => {
  const { api } = cluster;
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await api.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'strict', labels } });
  await api.apply(deployment('strict', restricted));
  await eventually('both pods run', async () => {
    const pods = await api.list('v1', 'Pod', 'strict');
    return pods.filter(({ status }) => (status as { phase?: string }).phase === 'Running').length === 2;
  });
  await api.apply(deployment('strict', { runAsUser: 0 }));
  await eventually('the controller is told why', async () => {
    const events = await api.list('v1', 'Event', 'strict');
    return events.some(({ message }) => /violates PodSecurity "restricted/.test(String(message)));
  });
  await api.delete({ apiVersion: 'v1', kind: 'Namespace', name: 'strict' });
  await eventually('the namespace is gone', async () => {
    const all = await api.listEverything();
    return !all.some(({ metadata }) => metadata.name === 'strict' || metadata.namespace === 'strict');
  });
});

test('a field that the API does not know is refused', async () => {
  const misspelt = { ...deployment('default', restricted), specs: {} };
  await expect(cluster.api.apply(misspelt, { dryRun: true })).rejects.toThrow(
    /unknown field.*specs|field not declared/,
  );
});
