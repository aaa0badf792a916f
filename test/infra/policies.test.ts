import * as aws from '@pulumi/aws';
import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { describe, expect, test } from 'vitest';
import { planTenant } from '../../infra/plan.ts';
import { enforcePolicies } from '../../infra/policies/enforce.ts';
import { KubernetesTenant } from '../../infra/targets/kubernetes/tenant.ts';
import { createdBy } from './support/pulumi-mocks.ts';
import { images, kubernetesTenant, large } from './support/tenants.ts';

/** The sentence that a program ends with, or an empty text. */
const refusal = (program: () => unknown): Promise<string> =>
  createdBy(() => {
    enforcePolicies('dev');
    return program();
  }).then(
    () => '',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );

const labels = { 'parley.dev/tenant': 'dev' };
const tags = { 'parley:tenant': 'dev' };

test('what our own components create keeps every rule, of what has to be protected, too', async () => {
  const plan = planTenant(kubernetesTenant());
  const folders = { agents: undefined, policies: undefined };
  const guarded = createdBy(() => {
    const checkWhole = enforcePolicies('dev', plan.erasable);
    new KubernetesTenant('parley-dev', { plan, folders });
    checkWhole();
  });
  await expect(guarded).resolves.toBeDefined();
});

test('what our own components create keeps every rule', async () => {
  const folders = { agents: new Map([['desk.yaml', 'x']]), policies: undefined };
  for (const fields of [{}, large, { ...large, database: { kind: 'cloudnativepg' } }]) {
    const plan = planTenant(
      kubernetesTenant({ ...fields, monitoring: { prometheusOperator: true, grafanaDashboards: true } }),
    );
    expect(await refusal(() => new KubernetesTenant('parley-dev', { plan, folders }))).toBe('');
  }
});

const container = {
  name: 'api',
  image: images.services,
  resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } },
  livenessProbe: { tcpSocket: { port: 1 } },
  readinessProbe: { tcpSocket: { port: 1 } },
  securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
};
const pod = {
  automountServiceAccountToken: false,
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [container],
};
const metadata = { name: 'api', namespace: 'parley-dev', labels };

const deploy = (spec: k8s.types.input.core.v1.PodSpec, inNamespace = 'parley-dev') =>
  refusal(
    () =>
      new k8s.apps.v1.Deployment('api', {
        metadata: { ...metadata, namespace: inNamespace },
        spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
      }),
  );

const withContainer = (fields: Record<string, unknown>) =>
  deploy({ ...pod, containers: [{ ...container, ...fields }] });

describe('a pod', () => {
  test('that is guarded passes', async () => {
    expect(await deploy(pod)).toBe('');
    expect(await deploy({ ...pod, hostNetwork: true }, 'parley-dev-rooms')).toBe('');
  });

  const { limits: _, ...unlimited } = container.resources;
  test.each([
    ['container-limits', { resources: unlimited }],
    ['container-limits', { resources: { ...container.resources, limits: { cpu: '1' } } }],
    ['container-probes', { livenessProbe: undefined }],
    ['container-probes', { readinessProbe: undefined }],
    ['image-by-digest', { image: 'registry.test/parley:latest' }],
    ['restricted-pods', { securityContext: { ...container.securityContext, allowPrivilegeEscalation: true } }],
    ['restricted-pods', { securityContext: { ...container.securityContext, readOnlyRootFilesystem: undefined } }],
    ['restricted-pods', { securityContext: { ...container.securityContext, capabilities: { drop: ['NET_RAW'] } } }],
    ['restricted-pods', { securityContext: { ...container.securityContext, privileged: true } }],
  ])('%s: a container without its guard is refused', async (rule, fields) => {
    expect(await withContainer(fields)).toMatch(
      new RegExp(`^Policy ${rule} forbids api \\(kubernetes:apps/v1:Deployment\\): api must `),
    );
  });

  test.each([
    [{ hostNetwork: true }, "Only room servers share their node's network"],
    [{ securityContext: { ...pod.securityContext, runAsUser: 0 } }, 'must not run as root'],
    [{ hostPID: true }, "must not share its node's processes"],
    [{ automountServiceAccountToken: true }, "must not carry a token of the cluster's API"],
    [{ securityContext: { seccompProfile: { type: 'RuntimeDefault' } } }, 'must say runAsNonRoot'],
    [{ securityContext: { runAsNonRoot: true } }, 'seccomp'],
    [{ volumes: [{ name: 'x', hostPath: { path: '/' } }] }, "must not mount its node's files"],
  ])('restricted-pods: %j is refused', async (fields, words) => {
    const sentence = await deploy({ ...pod, ...fields });
    expect(sentence).toContain('Policy restricted-pods forbids api');
    expect(sentence).toContain(words);
  });

  test('that is only known later is refused, because nobody could check it', async () => {
    const later = pulumi.output(container.securityContext);
    expect(await withContainer({ securityContext: later })).toContain('restricted-pods');
  });
});

describe('where nobody may erase', () => {
  const guarded = (make: (opts: pulumi.CustomResourceOptions) => unknown, opts: pulumi.CustomResourceOptions) =>
    createdBy(() => {
      enforcePolicies('dev', false);
      make(opts);
    }).then(
      () => '',
      (error: Error) => error.message,
    );
  const named = {
    metadata: { name: 'parley-dev', labels: { ...labels, 'pod-security.kubernetes.io/enforce': 'restricted' } },
  };

  test.each([
    ['a volume', (opts) => new k8s.core.v1.PersistentVolumeClaim('data', { metadata }, opts)],
    ['the keys', (opts) => new pulumi.Stash('master-keys', { input: 'k' }, opts)],
    ['a namespace, with which volumes go', (opts) => new k8s.core.v1.Namespace('n', named, opts)],
    ['a database of AWS', (opts) => new aws.rds.Instance('db', database, opts)],
  ] as [string, (opts: pulumi.CustomResourceOptions) => unknown][])(
    'protected-where-loss-hurts: %s that is not protected is refused',
    async (_, make) => {
      expect(await guarded(make, {})).toContain('Policy protected-where-loss-hurts forbids');
      expect(await guarded(make, { protect: true })).toBe('');
    },
  );

  test('default-deny: a namespace without a policy that refuses everything is refused', async () => {
    const made = (spec: k8s.types.input.networking.v1.NetworkPolicySpec | undefined) =>
      createdBy(() => {
        const checkWhole = enforcePolicies('dev');
        new k8s.core.v1.Namespace('n', named);
        const of = { name: 'nothing', namespace: 'parley-dev', labels };
        if (spec) new k8s.networking.v1.NetworkPolicy('nothing', { metadata: of, spec });
        checkWhole();
      }).then(
        () => '',
        (error: Error) => error.message,
      );
    expect(await made({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] })).toBe('');
    for (const spec of [undefined, { podSelector: {}, policyTypes: ['Ingress'] }, { podSelector: {}, ingress: [{}] }])
      expect(await made(spec)).toContain('Policy default-deny forbids n (kubernetes:core/v1:Namespace)');
  });
});

describe('in a cluster', () => {
  test('a namespace enforces a level of security', async () => {
    const namespace = (name: string, level: string | undefined) =>
      refusal(
        () =>
          new k8s.core.v1.Namespace('n', {
            metadata: {
              name,
              labels: { ...labels, ...(level ? { 'pod-security.kubernetes.io/enforce': level } : {}) },
            },
          }),
      );
    expect(await namespace('parley-dev', 'restricted')).toBe('');
    expect(await namespace('parley-dev-rooms', 'privileged')).toBe('');
    expect(await namespace('parley-dev', 'privileged')).toContain('namespace-security-level');
    expect(await namespace('parley-dev', undefined)).toContain('namespace-security-level');
  });

  test('a host name has a certificate', async () => {
    const ingress = (spec: object, annotations = {}) =>
      refusal(() => new k8s.networking.v1.Ingress('i', { metadata: { name: 'i', labels, annotations }, spec }));
    expect(await ingress({ tls: [{ hosts: ['a.test'], secretName: 'c' }] })).toBe('');
    expect(await ingress({}, { 'parley.dev/certificate': 'parley-dev/api-certificate' })).toBe('');
    expect(await ingress({})).toContain('tls-on-ingress');
  });

  test('a database has no address outside', async () => {
    const service = (type: string) =>
      refusal(() => new k8s.core.v1.Service('database', { metadata: { name: 'database', labels }, spec: { type } }));
    expect(await service('ClusterIP')).toBe('');
    expect(await service('LoadBalancer')).toContain('no-public-database');
  });

  test('everything carries the tenant', async () => {
    expect(await refusal(() => new k8s.core.v1.Service('x', { metadata: { name: 'x' } }))).toContain(
      'tagged-with-tenant',
    );
  });
});

const database = {
  instanceClass: 'db.t4g.medium',
  publiclyAccessible: false,
  storageEncrypted: true,
  deletionProtection: true,
  backupRetentionPeriod: 14,
  skipFinalSnapshot: false,
  deleteAutomatedBackups: false,
  tags,
};

describe('on aws', () => {
  test.each([
    ['no-public-database', { publiclyAccessible: true }],
    ['no-public-database', { publiclyAccessible: undefined }],
    ['encryption-at-rest', { storageEncrypted: false }],
    ['database-backups-and-protection', { backupRetentionPeriod: 0 }],
    ['database-backups-and-protection', { deletionProtection: undefined }],
    ['database-backups-and-protection', { skipFinalSnapshot: true }],
    ['database-backups-and-protection', { skipFinalSnapshot: true, deletionProtection: false }],
    ['database-backups-and-protection', { deleteAutomatedBackups: undefined }],
    ['tagged-with-tenant', { tags: undefined }],
    ['tagged-with-tenant', { tags: { 'parley:tenant': 'somebody' } }],
  ])('%s: a database with %j is refused', async (rule, fields) => {
    expect(await refusal(() => new aws.rds.Instance('db', database))).toBe('');
    const sentence = await refusal(
      () => new aws.rds.Instance('db', { ...database, ...fields } as aws.rds.InstanceArgs),
    );
    expect(sentence).toContain(`Policy ${rule} forbids db (aws:rds/instance:Instance)`);
  });

  const grant = (Action: string | string[], Resource: pulumi.Input<string>, more = {}) =>
    refusal(
      () =>
        new aws.iam.RolePolicy('grant', {
          role: 'r',
          policy: pulumi.jsonStringify({
            Version: '2012-10-17',
            Statement: [{ Effect: 'Allow', Action, Resource, ...more }],
          }),
        }),
    );

  test('a grant names what it opens, also when that is only known later', async () => {
    const arn = pulumi.output('arn:aws:secretsmanager:eu-west-1:1:secret:x');
    expect(await grant(['secretsmanager:GetSecretValue'], arn)).toBe('');
    expect(await grant(['ec2:DescribeInstances'], '*')).toBe('');
    expect(await grant('*', arn)).toContain('no-wildcard-iam');
    expect(await grant(['s3:*'], arn)).toContain('no-wildcard-iam');
    expect(await grant(['secretsmanager:GetSecretValue'], '*')).toContain('no-wildcard-iam');
    const attached = await refusal(
      () =>
        new aws.iam.RolePolicyAttachment('all', {
          role: 'r',
          policyArn: 'arn:aws:iam::aws:policy/AdministratorAccess',
        }),
    );
    expect(attached).toContain('no-wildcard-iam');
  });

  test('only balancers and room servers are open to everybody', async () => {
    const rule = (name: string) =>
      refusal(
        () =>
          new aws.vpc.SecurityGroupIngressRule(name, {
            securityGroupId: 'sg',
            cidrIpv4: '0.0.0.0/0',
            ipProtocol: 'tcp',
            fromPort: 443,
            toPort: 443,
            tags,
          }),
      );
    expect(await rule('balancer-https')).toBe('');
    expect(await rule('database')).toContain('no-open-security-group');
  });

  test('disks of nodes and secrets of the cluster are encrypted', async () => {
    const template = (encrypted: string) =>
      refusal(
        () =>
          new aws.ec2.LaunchTemplate('t', {
            blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { encrypted } }],
            tags,
          }),
      );
    expect(await template('true')).toBe('');
    expect(await template('false')).toContain('encryption-at-rest');
  });
});
