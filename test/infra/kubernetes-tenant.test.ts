import * as pulumi from '@pulumi/pulumi';
import { expect, test } from 'vitest';
import { planTenant } from '../../infra/plan.ts';
import { KubernetesTenant } from '../../infra/targets/kubernetes/tenant.ts';
import type { Tenant } from '../../infra/tenant.ts';
import { createdBy, ofType } from './support/pulumi-mocks.ts';
import { kubernetesTenant, large } from './support/tenants.ts';

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
  expect(Object.fromEntries(deployments)).toEqual({ rooms: 1, api: 1, worker: 1, agent: 1 });
  expect(ofType(created, 'kubernetes:policy/v1:PodDisruptionBudget')).toHaveLength(0);
  expect(ofType(created, 'kubernetes:apps/v1:StatefulSet')).toHaveLength(1);
});

test('a large tenant has two of each, and a cache by which they are one', async () => {
  const created = await resourcesOf(kubernetesTenant(large));
  const deployments = ofType(created, deployment).map(({ inputs }) => [inputs.metadata.name, inputs.spec.replicas]);
  expect(Object.fromEntries(deployments)).toEqual({ rooms: 2, api: 2, worker: 2, agent: 7, cache: 1 });
  const budgets = ofType(created, 'kubernetes:policy/v1:PodDisruptionBudget').map(({ inputs }) => inputs.metadata.name);
  expect(budgets.sort()).toEqual(['agent', 'api', 'rooms', 'worker']);
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

test('what conversations owe the database outlives the container of an agent host, in a bounded place', async () => {
  const created = await resourcesOf(kubernetesTenant());
  const agent = ofType(created, deployment).find(({ inputs }) => inputs.metadata.name === 'agent');
  const { volumes, containers } = agent?.inputs.spec.template.spec ?? {};
  expect(volumes).toContainEqual({ name: 'owed', emptyDir: { sizeLimit: '256Mi' } });
  const mountPath = '/var/lib/parley/owed';
  expect(containers[0].volumeMounts).toContainEqual({ name: 'owed', mountPath });
  expect(containers[0].env).toContainEqual({ name: 'PARLEY_OWED_DIR', value: mountPath });
});

test('nothing in the namespace may be reached, or reach anything, that the plan does not name', async () => {
  const created = await resourcesOf(kubernetesTenant(large));
  const policies = ofType(created, 'kubernetes:networking.k8s.io/v1:NetworkPolicy').map(({ inputs }) => inputs);
  const refusesAll = policies.find(({ metadata }) => metadata.name === 'nothing');
  expect(refusesAll.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
  const covered = policies.map(({ spec }) => spec.podSelector.matchLabels?.['app.kubernetes.io/name']).filter(Boolean);
  const pods = created
    .filter(({ inputs }) => inputs.metadata?.namespace === 'parley-dev')
    .flatMap(({ inputs: { spec } }) => [spec?.template, spec?.jobTemplate?.spec?.template])
    .filter(Boolean)
    .map(({ metadata }) => metadata.labels['app.kubernetes.io/name']);
  expect(covered.sort()).toEqual([...new Set(pods)].sort());
  // Internal ports are for nodes, KEDA and monitoring.
  const api = policies.find(({ metadata }) => metadata.name === 'api');
  const [publicDoor, internalDoor] = api.spec.ingress;
  expect(publicDoor.ports).toEqual([{ port: 7800, protocol: 'TCP' }]);
  expect(internalDoor.ports).toEqual([{ port: 7801, protocol: 'TCP' }]);
  expect(internalDoor.from.some((peer: { ipBlock?: { cidr: string } }) => peer.ipBlock?.cidr === '0.0.0.0/0')).toBe(
    false,
  );
});

test('CloudNativePG keeps the database where its operator is there, and its certificate is checked', async () => {
  const created = await resourcesOf(
    kubernetesTenant({ ...large, database: { kind: 'cloudnativepg', storageGib: 50 } }),
  );
  expect(ofType(created, 'kubernetes:apps/v1:StatefulSet')).toHaveLength(0);
  const [cluster] = ofType(created, 'kubernetes:postgresql.cnpg.io/v1:Cluster');
  expect(cluster?.inputs.spec).toMatchObject({ instances: 2, storage: { size: '50Gi' } });
  const secret = ofType(created, 'kubernetes:core/v1:Secret').find(({ inputs }) => inputs.metadata.name === 'database');
  expect(secret?.inputs.stringData.url).toMatch(
    /@database-rw\.parley-dev\.svc:5432\/parley\?sslmode=verify-full&sslrootcert=/,
  );
  for (const { inputs } of ofType(created, deployment).filter(({ inputs }) =>
    ['api', 'worker', 'agent'].includes(inputs.metadata.name),
  )) {
    expect(inputs.spec.template.spec.volumes).toContainEqual({
      name: 'certificates',
      secret: { secretName: 'database-ca', items: [{ key: 'ca.crt', path: 'database.pem' }] },
    });
  }
});

test('a database of somebody else is used as it is', async () => {
  const urls = { url: 'postgres://parley:x@db.test:6432/parley', adminUrl: 'postgres://owner:x@db.test:5432/parley' };
  const created = await resourcesOf(kubernetesTenant({ database: { kind: 'existing', ...urls } }));
  expect(ofType(created, 'kubernetes:apps/v1:StatefulSet')).toHaveLength(0);
  const secrets = ofType(created, 'kubernetes:core/v1:Secret').map(({ inputs }) => [
    inputs.metadata.name,
    inputs.stringData,
  ]);
  expect(Object.fromEntries(secrets)).toMatchObject({
    database: { url: urls.url },
    'database-admin': { url: urls.adminUrl },
  });
});

test('agents scale on conversations, and are a planned number while nobody can tell how many there are', async () => {
  const created = await resourcesOf(
    kubernetesTenant({ capacity: { voice: 50, text: 500, coldStart: 'allowed' }, images: kubernetesTenant().images }),
  );
  const [scaling] = ofType(created, 'kubernetes:keda.sh/v1alpha1:ScaledObject');
  expect(scaling?.inputs.spec).toMatchObject({
    scaleTargetRef: { name: 'agent' },
    minReplicaCount: 0,
    maxReplicaCount: 10,
    // Also where there may be none: KEDA holds it from one agent on, from 2.19 on from none (docs/operate/scaling.md).
    fallback: { failureThreshold: 3, replicas: 7 },
    triggers: [
      {
        type: 'metrics-api',
        metadata: {
          url: 'http://api-internal.parley-dev.svc.cluster.local:7801/scaling',
          valueLocation: 'wanted',
          targetValue: '55',
        },
      },
      { type: 'metrics-api', metadata: { valueLocation: 'wantedVoice', targetValue: '5' } },
    ],
  });
  const fixed = await resourcesOf(kubernetesTenant({ ...large, autoscaling: 'fixed' }));
  expect(ofType(fixed, 'kubernetes:keda.sh/v1alpha1:ScaledObject')).toHaveLength(0);
  expect(ofType(fixed, deployment).find(({ inputs }) => inputs.metadata.name === 'agent')?.inputs.spec.replicas).toBe(
    7,
  );
});

test('every resource belongs to the component that is named for it', async () => {
  const created = await resourcesOf(kubernetesTenant(large));
  const parentOf = (type: string, name: string) =>
    created.find(({ type: one, inputs }) => one === type && inputs.metadata.name === name)?.parent;
  expect(parentOf(deployment, 'api')).toBe('parley:kubernetes:Api parley-dev-api');
  expect(parentOf(deployment, 'worker')).toBe('parley:kubernetes:Worker parley-dev-worker');
  expect(parentOf(deployment, 'agent')).toBe('parley:kubernetes:Agents parley-dev-agents');
  expect(parentOf(deployment, 'rooms')).toBe('parley:kubernetes:RoomServer parley-dev-rooms');
  const orphans = created.filter(({ parent }) => parent === undefined);
  expect(orphans.map(({ type }) => type)).toEqual(['parley:index:KubernetesTenant', 'pulumi:pulumi:Stack']);
});

test('what is led into the cluster leads to a service that is there, and to nothing else of the worker than is signed', async () => {
  const secrets = { HOOK: 'a', PASSES: 'b' };
  const created = await resourcesOf(
    kubernetesTenant({ secrets, agents: { pushSecret: 'HOOK', passesSecret: 'PASSES' } }),
  );
  const services = ofType(created, 'kubernetes:core/v1:Service').flatMap(({ inputs: { metadata, spec } }) =>
    spec.ports.map(({ port }: { port: number }) => `${metadata.namespace} ${metadata.name}:${port}`),
  );
  const ways = ofType(created, 'kubernetes:networking.k8s.io/v1:Ingress').flatMap(({ inputs: { metadata, spec } }) =>
    spec.rules[0].http.paths.map(
      ({
        path,
        pathType,
        backend: { service },
      }: {
        path: string;
        pathType: string;
        backend: { service: Backend };
      }) => ({
        way: `${pathType} ${path}`,
        to: `${metadata.namespace} ${service.name}:${service.port.number}`,
      }),
    ),
  );
  expect(ways.filter(({ to }) => !services.includes(to))).toEqual([]);
  expect(ways.filter(({ to }) => to === 'parley-dev worker:7803').map(({ way }) => way)).toEqual([
    'Exact /push-events',
    'Exact /scenario-passes',
  ]);
  const worker = ofType(created, deployment).find(({ inputs }) => inputs.metadata.name === 'worker');
  expect(worker?.inputs.spec.template.spec.containers[0].lifecycle).toEqual({ preStop: { sleep: { seconds: 5 } } });
});

interface Backend {
  name: string;
  port: { number: number };
}

test('a key of a repository is a file that only the worker has', async () => {
  const created = await resourcesOf(
    kubernetesTenant({
      secrets: { GIT_KEY: 'PRIVATE' },
      agents: {
        repository: 'git@git.test:team/agents.git',
        sshKey: 'GIT_KEY',
        sshKnownHosts: 'git.test ssh-ed25519 AAAA',
      },
    }),
  );
  const mounting = ofType(created, deployment).filter(({ inputs }) =>
    inputs.spec.template.spec.volumes.some(
      (volume: { secret?: { secretName: string } }) => volume.secret?.secretName === 'git-access',
    ),
  );
  expect(mounting.map(({ inputs }) => inputs.metadata.name)).toEqual(['worker']);
});

test('monitoring gets what it asks for', async () => {
  const monitored = await resourcesOf(
    kubernetesTenant({ monitoring: { prometheusOperator: true, grafanaDashboards: true } }),
  );
  const kinds = monitored.map(({ type }) => type).filter((type) => type.includes('monitoring.coreos.com'));
  expect(kinds.sort()).toEqual([
    'kubernetes:monitoring.coreos.com/v1:PodMonitor',
    'kubernetes:monitoring.coreos.com/v1:PodMonitor',
    'kubernetes:monitoring.coreos.com/v1:PrometheusRule',
  ]);
  const dashboard = ofType(monitored, 'kubernetes:core/v1:ConfigMap').find(
    ({ inputs }) => inputs.metadata.name === 'dashboard',
  );
  expect(JSON.parse(dashboard?.inputs.data['parley-dev.json'])).toMatchObject({ title: 'Parley · dev' });
});

test('another size is never another volume: that would be an empty database', async () => {
  const kept = new Map<string, unknown>();
  await createdBy(() => {
    pulumi.runtime.registerStackTransformation(({ type, props, opts }) => {
      kept.set(type, (opts as pulumi.CustomResourceOptions).ignoreChanges);
      return { props, opts };
    });
    new KubernetesTenant('parley-dev', { plan: planTenant(kubernetesTenant()), folders });
  });
  expect(kept.get('kubernetes:apps/v1:StatefulSet')).toEqual(['spec.volumeClaimTemplates']);
  expect(kept.get('kubernetes:core/v1:PersistentVolumeClaim')).toEqual(['spec']);
  // What was sealed with them needs the same ones again.
  expect(kept.get('pulumi:index:Stash')).toEqual(['input']);
});

/** Options of every resource, by type and name. */
async function optionsOf(tenant: Tenant): Promise<Map<string, pulumi.CustomResourceOptions>> {
  const options = new Map<string, pulumi.CustomResourceOptions>();
  await createdBy(() => {
    pulumi.runtime.registerStackTransformation(({ type, name, props, opts }) => {
      options.set(`${type.split(':').at(-1)} ${name}`, opts as pulumi.CustomResourceOptions);
      return { props, opts };
    });
    new KubernetesTenant('parley-dev', { plan: planTenant(tenant), folders });
  });
  return options;
}

const keptForGood = [
  'Namespace parley-dev',
  'PersistentVolumeClaim parley-dev-database-backups',
  'Stash master-keys',
  'StatefulSet parley-dev-database',
];

test('what nothing brings back is protected until the stack says by its own name that it may be erased', async () => {
  const isProtected = async (tenant: Tenant) => {
    const options = await optionsOf(tenant);
    return keptForGood.map((name) => options.get(name)?.protect);
  };
  expect(await isProtected(kubernetesTenant())).toEqual([true, true, true, true]);
  expect(await isProtected(kubernetesTenant({ mayErase: 'dev' }))).toEqual([false, false, false, false]);
  expect(() => kubernetesTenant({ mayErase: 'acme' })).toThrow(/parley:mayErase: .*only "dev", the stack's own name/);
  const operated = await optionsOf(kubernetesTenant({ ...large, database: { kind: 'cloudnativepg' } }));
  expect(operated.get('Cluster parley-dev-database')?.protect).toBe(true);
});

test('a volume outlives the server that was replaced', async () => {
  const [server] = ofType(await resourcesOf(kubernetesTenant()), 'kubernetes:apps/v1:StatefulSet');
  expect(server?.inputs.spec.persistentVolumeClaimRetentionPolicy.whenDeleted).toBe('Retain');
});

test('a label that a later release adds replaces nothing: selectors stay as they are', async () => {
  const plan = planTenant(kubernetesTenant(large));
  const scope = { ...plan.scope, labels: { ...plan.scope.labels, 'example.com/team': 'voice' } };
  const created = await createdBy(() => new KubernetesTenant('parley-dev', { plan: { ...plan, scope }, folders }));
  const selectors = created
    .filter(({ type }) => ['kubernetes:apps/v1:Deployment', 'kubernetes:apps/v1:StatefulSet'].includes(type))
    .map(({ inputs }) => [inputs.metadata.labels['example.com/team'], inputs.spec.selector.matchLabels]);
  expect(selectors).toHaveLength(6);
  for (const [label, selector] of selectors) {
    expect(label).toBe('voice');
    expect(selector).toEqual({
      'app.kubernetes.io/name': expect.any(String),
      'app.kubernetes.io/part-of': 'parley',
      'parley.dev/tenant': 'dev',
    });
  }
});

test('a kubeconfig that leads to another cluster than the first is refused, and nothing in a cluster is asked for', async () => {
  const program = () => new KubernetesTenant('parley-dev', { plan: planTenant(kubernetesTenant()), folders });
  await expect(createdBy(program, { stashed: { cluster: 'uid of another' } })).rejects.toThrow(
    /The context "here" leads to another cluster than the one that has this stack's tenant\. Nothing was changed\./,
  );
  const [provider] = (await createdBy(program)).filter(
    ({ type, name }) => type === 'pulumi:providers:kubernetes' && name === 'parley-dev',
  );
  expect(provider?.inputs).toMatchObject({
    context: 'here',
    clusterIdentifier: 'stack dev',
    upsertExistingObjects: 'true',
    enablePatchForce: 'true',
  });
});

test('going back to an image asks for the job of before a second time, and a job that failed is tried again', async () => {
  const jobOf = async (tenant: Tenant) => ofType(await resourcesOf(tenant), 'kubernetes:batch/v1:Job')[0]?.inputs;
  const job = await jobOf(kubernetesTenant());
  expect(job.metadata.name).toBeUndefined();
  expect(job.metadata.annotations).toEqual({ 'pulumi.com/replaceUnready': 'true' });
  // A value that is another is another job.
  const other = await jobOf(kubernetesTenant({ secrets: { OPENAI_API_KEY: 'sk-2' } }));
  expect(other.spec.template.metadata.annotations).not.toEqual(job.spec.template.metadata.annotations);
});

test('the schema is brought up to date when the database is there', async () => {
  const options = await optionsOf(kubernetesTenant());
  const { dependsOn } = options.get('Workloads parley-dev') ?? {};
  const names = [dependsOn].flat().map((one) => (one as unknown as { __name: string }).__name);
  expect(names).toContain('parley-dev-database');
});

test('CloudNativePG is given no empty map, which it is refused with once anything changes', async () => {
  const created = await resourcesOf(kubernetesTenant({ ...large, database: { kind: 'cloudnativepg' } }));
  const [cluster] = ofType(created, 'kubernetes:postgresql.cnpg.io/v1:Cluster');
  expect(JSON.stringify(cluster?.inputs.spec)).not.toContain('{}');
});

test('agents that begin to scale begin with as many as there were', async () => {
  const agent = async (fields: Record<string, unknown>) =>
    ofType(await resourcesOf(kubernetesTenant({ ...large, ...fields })), deployment).find(
      ({ inputs }) => inputs.metadata.name === 'agent',
    )?.inputs.spec.replicas;
  expect(await agent({ autoscaling: 'keda' })).toBe(await agent({ autoscaling: 'fixed' }));
  const options = await optionsOf(kubernetesTenant(large));
  expect(options.get('Deployment parley-dev-agent')?.ignoreChanges).toEqual(['spec.replicas']);
});
